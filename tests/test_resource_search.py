"""Queries over a worker's resources."""

import pytest

from dryline.tests.conftest import created


@pytest.fixture
def path(worker):
    return f"/workers/{worker['id']}/resources"


@pytest.fixture
def add_link(api, path):
    def add(name, link="https://example.com/", **body):
        body = {"name": name, "rawLink": link, "updateFrequency": "daily", **body}
        return created(api.post(f"{path}/link", body))["id"]

    return add


@pytest.fixture
def add_file(app, api, worker, path):
    def add(name, text, mime_type="text/plain", encoding="utf-8"):
        url = f"/api/upload/{worker['id']}/resource-upload-url"
        query = {"fileName": "a", "contentType": mime_type}
        address = app.test_client().get(url, query_string=query).json["uploadUrl"]
        app.test_client().put(address, data=text.encode(encoding))
        body = {"name": name, "fileName": "a", "mimeType": mime_type, "size": len(text)}
        return created(api.post(f"{path}/file", body | {"s3FilePath": address.split("?")[0]}))["id"]

    return add


@pytest.fixture
def ask(api, path, advance):
    def ask(query, wait_s=10, **body):
        advance(wait_s)  # until what was added is processed
        answer = api.post(f"{path}/query", {"query": query, **body})
        assert answer.status_code == 200, answer.text
        return answer.json["data"]

    return ask


def test_a_files_text_is_found_and_quoted_the_best_match_first(add_file, ask):
    weak = add_file("Letter", "Dear guest, thank you for your stay. " * 20 + "The kitchen is nice.")
    id = add_file("Hours", "The kitchen closes at ten every evening.")
    matches = ask("When does the kitchen close?")
    assert matches["context"] == [id, weak]
    assert matches["answer"].startswith("Hours: The kitchen closes at ten")
    assert ask("kitchen", queryParams={"topK": 1})["context"] == [id]
    assert ask("kitchen", resources=[weak])["context"] == [weak]
    assert ask("parking") == {"answer": "No resource matches the query.", "context": [], "results": []}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_text_in_utf_16_is_found_and_quoted(add_file, ask, encoding):
    id = add_file("Hours", "\ufeffThe kitchen closes at ten.", encoding=encoding)
    answer = ask("When does the kitchen close?")
    assert answer["context"] == [id]
    assert "The kitchen closes at ten." in answer["answer"]


@pytest.mark.parametrize(
    ("page", "seen"),
    [
        (
            "<html><script>var secret = 1</script><style>.secret{}</style><b class=secret>tea</b> opens</html>",
            "tea opens",
        ),
        ("Tea &amp; cake &lt;3 &#233;clair &nosuch; &#" + "9" * 5000 + ";", "Tea & cake <3 éclair &nosuch;"),
        ("tea<!-- <b>secret --><i>cake</i>", "tea cake"),
        ("tea<!-- secret", "tea"),
        ("tea<a href='secret", "tea"),
    ],
)
def test_markup_even_if_it_is_broken_hides_what_a_browser_would_hide(add_file, ask, page, seen):
    add_file("Page", page, "text/html")
    assert ask("tea")["results"][0]["text"].startswith(seen)
    assert ask("secret")["context"] == []


@pytest.mark.parametrize("part", ["<!--", "<a ", "&#x", "<script>"])
def test_markup_that_never_closes_does_not_hold_anything_up(add_file, ask, part):
    """Would take an hour if its time grew with the square of the page."""
    id = add_file("Page", "tea " + part * (300_000 // len(part)), "text/html")
    assert ask("tea")["context"] == [id]


def test_a_long_file_answers_with_its_best_passage_at_once(add_file, ask):
    """Would take minutes if the place of each hit were compared with all others."""
    rows = [f"{number},part {number},5.50,EUR,in stock\n" for number in range(40_000)]
    rows[30_000] = "The zebra crossing is behind the house.\n"
    id = add_file("Prices", "".join(rows), "text/csv")
    (match,) = ask("price in EUR of part 7 in stock")["results"]
    assert match["resourceId"] == id
    (match,) = ask("zebra")["results"]
    assert "29999,part 29999" in match["text"] and "zebra" in match["text"] and len(match["text"]) <= 2_000


def test_each_word_of_a_long_text_is_found(add_file, ask):
    words = [f"word{number}" for number in range(3_000)]
    add_file("Words", " ".join(words))
    add_file("Cut", "x" * 5_000 + " " + "tail")
    for word in [*words[::97], "tail"]:
        assert word in ask(word, wait_s=10 if word == "word0" else 0)["results"][0]["text"].split()


def test_a_file_that_is_no_text_is_found_by_its_name_and_answers_with_it_alone(add_file, ask):
    textual = [
        add_file("Data", '{"dish": "lasagne"}', type) for type in ("application/json", "text/csv; charset=utf-8")
    ]
    id = add_file("Brochure", "lasagne", "application/pdf")
    assert sorted(ask("lasagne")["context"]) == sorted(textual)
    assert (ask("brochure")["context"], ask("brochure")["answer"]) == ([id], "Brochure")


def test_a_query_stays_in_its_folder_by_id_and_by_name(api, worker, add_link, ask):
    folder = api.post(f"/workers/{worker['id']}/folders", {"name": "Cars"}).json
    inside, outside = add_link("Parking", folderId=folder["id"]), add_link("Parking")
    assert ask("parking", folderId=folder["id"])["context"] == [inside]
    assert ask("parking", folderName="Cars")["context"] == [inside]
    assert ask("parking")["context"] == sorted([inside, outside])


def test_another_workers_resources_are_not_found(api, make_worker, add_link):
    id = add_link("Parking")
    other = f"/workers/{make_worker()['id']}/resources/query"
    assert api.post(other, {"query": "parking"}).json["data"]["context"] == []
    assert api.post(other, {"query": "parking", "resources": [id]}).status_code == 404


def test_no_text_breaks_the_search(add_link, ask):
    id = add_link("Parking")
    texts = ['"', "park* OR", "NEAR(a b", "name:parking", "", "\0", "a " * 100_000, "^a + b AND NOT"]
    for text in texts:
        assert ask(text)["context"] in ([], [id])


def test_only_the_context_or_the_prompt_can_be_had(add_link, ask):
    id = add_link("Parking")
    context = ask("parking", queryParams={"onlyNeedContext": True})
    assert (context["answer"], context["context"]) == (None, [id])
    prompt = ask("parking", queryParams={"onlyNeedPrompt": True})
    assert prompt["answer"] is None
    assert "Question: parking" in prompt["prompt"]


def test_a_failed_or_deleted_resource_is_not_found(api, path, add_link, ask):
    add_link("Parking", "nowhere")
    gone = add_link("Parking")
    api.delete(f"{path}/{gone}")
    assert ask("parking")["context"] == []


def test_a_resource_is_not_found_before_it_is_available(control, add_link, add_file, ask):
    control.put("/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})
    ids = {add_link("Parking"), add_file("Prices", "Parking is free.")}
    assert ask("parking", wait_s=0)["context"] == []
    assert ask("parking", wait_s=1)["context"] == []
    assert set(ask("parking", wait_s=2)["context"]) == ids


def test_a_link_answers_with_its_name_once_and_where_it_leads(add_link, ask):
    add_link("Reset your password", "https://example.com/reset")
    matches = ask("how do I reset my password?")
    assert matches["context"] == ask("example")["context"]
    assert matches["answer"] == "Reset your password: https://example.com/reset"
    assert matches["results"][0]["text"] == ""
