"""Resources of a worker and their folders: links, files, and where their bytes go."""

import pytest

from dryline.tests.conftest import created

LINK = {"name": "Menu", "rawLink": "https://example.com/menu", "updateFrequency": "daily"}
FILE = {"name": "Prices", "fileName": "prices.csv", "mimeType": "text/csv", "size": 12}
BYTES = b"tea,3\npie,4\n"


@pytest.fixture
def path(worker):
    return f"/workers/{worker['id']}/resources"


@pytest.fixture
def make_link(api, path):
    return lambda **body: api.post(f"{path}/link", LINK | body).json


@pytest.fixture
def upload_address(app, worker):
    def upload_address(name="prices.csv", worker=worker):
        url = f"/api/upload/{worker['id']}/resource-upload-url"
        answer = app.test_client().get(url, query_string={"fileName": name, "contentType": "text/csv"})
        return answer.json["uploadUrl"]

    return upload_address


@pytest.fixture
def put(app):
    """Put bytes to an upload address. Returns the status."""
    return lambda address, data=BYTES: app.test_client().put(address, data=data, content_type="text/csv").status_code


@pytest.fixture
def make_file(api, path, upload_address, put):
    """Upload bytes and make them a file of the worker."""

    def make_file(data=BYTES, name="prices.csv"):
        address = upload_address(name)
        assert [put(address, each) for each in (b"an earlier one", data)] == [200, 200]
        return created(api.post(f"{path}/file", FILE | {"s3FilePath": address.split("?")[0], "size": len(data)}))

    return make_file


@pytest.fixture
def make_folder(api, worker):
    return lambda name="Manuals": created(api.post(f"/workers/{worker['id']}/folders", {"name": name}))


def test_a_link_is_a_page_or_a_sitemap_and_shows_what_was_sent(api, path, make_link, worker):
    link = make_link()
    assert link | LINK == link
    assert (link["ragType"], link["status"], link["workerId"]) == ("WEBPAGE", "STARTED", worker["id"])
    assert api.get(f"{path}/{link['id']}").json == link
    assert make_link(rawLink="https://example.com/sitemap.xml")["ragType"] == "SITEMAP"


def test_links_and_files_are_listed_apart_newest_first(api, path, make_link, make_file):
    first, file, second = make_link(), make_file(), make_link(rawLink="https://example.com/sitemap.xml")
    assert [link["id"] for link in api.get(f"{path}/link").json] == [second["id"], first["id"]]
    assert [row["id"] for row in api.get(f"{path}/file").json] == [file["id"]]


def test_a_resource_is_processed_as_time_passes(api, path, make_link, control, advance):
    control.put("/clock", {"frozen": True})
    link = make_link()
    seen = [link["status"]]
    for seconds in (1, 2, 86_400):
        advance(seconds)
        seen.append(api.get(f"{path}/{link['id']}").json["status"])
    assert seen == ["STARTED", "PROCESSING", "AVAILABLE", "AVAILABLE"]


def test_a_resource_that_cannot_be_read_fails_with_the_reason(
    api, path, make_link, upload_address, put, make_worker, advance
):
    never_uploaded, of_another_worker = upload_address(), upload_address(worker=make_worker())
    assert put(of_another_worker) == 200
    elsewhere = "https://bucket.example.com/prices.csv"
    links = [make_link(rawLink="our menu")]
    files = [
        api.post(f"{path}/file", FILE | {"s3FilePath": address.split("?")[0]}).json
        for address in (never_uploaded, of_another_worker, elsewhere)
    ]
    advance(10)
    processed = [api.get(f"{path}/{resource['id']}").json for resource in links + files]
    assert [resource["status"] for resource in processed] == ["FAILED", "FAILED", "FAILED", "AVAILABLE"]
    assert "our menu" in processed[0]["processingError"]
    assert never_uploaded.split("?")[0] in processed[1]["processingError"]


# Uploads


@pytest.mark.parametrize("name", ["prices.csv", "mənü 📞.csv"])
def test_the_last_uploaded_bytes_can_be_read_at_the_signed_path(app, make_file, name):
    with app.test_client().get(make_file(b"tea,3\n", name)["signedS3FilePath"]) as answer:
        assert (answer.data, answer.content_type) == (b"tea,3\n", "text/csv")


def test_the_signed_path_leads_to_this_server_after_its_address_has_changed(app, api, make_file):
    file = make_file(b"tea,3\n", "a.csv")
    resources = f"/workers/{file['workerId']}/resources"
    answers = [
        api.get(f"{resources}/{file['id']}", base_url="http://127.0.0.1:9999").json,
        api.get(f"{resources}/file", base_url="http://127.0.0.1:9999").json[0],
        api.post(f"{resources}/{file['id']}/move", {"folderId": None}, base_url="http://127.0.0.1:9999").json,
    ]
    for answer in answers:
        assert answer["signedS3FilePath"].startswith("http://127.0.0.1:9999/uploads/")
        with app.test_client().get(answer["signedS3FilePath"]) as download:
            assert download.data == b"tea,3\n"


def test_an_upload_address_works_as_it_is_for_writing_and_for_an_hour(app, upload_address, put, advance):
    address = upload_address()
    for altered in (address + "x", address.replace("upload_", "upload_0"), address.split("?")[0]):
        assert put(altered) == 403
    assert put(address) == 200
    assert app.test_client().get(address).status_code == 403
    advance(3601)
    assert put(address) == 403


@pytest.mark.parametrize(
    ("member", "text"), [("fileName", "a\r\nX-Evil: 1"), ("contentType", "text/\x7f"), ("contentType", "text/📞")]
)
def test_a_name_that_a_header_cannot_carry_is_refused_before_the_upload(app, worker, member, text):
    query = {"fileName": "a", "contentType": "text/plain", member: text}
    answer = app.test_client().get(f"/api/upload/{worker['id']}/resource-upload-url", query_string=query)
    assert (answer.status_code, [detail["path"] for detail in answer.json["details"]]) == (400, [member])


@pytest.mark.parametrize("gone", ["/workers/{workerId}", "/workers/{workerId}/resources/{id}"])
def test_the_bytes_of_a_resource_go_with_it_and_with_its_worker(app, api, make_file, advance, gone):
    assert api.delete(gone.format(**make_file())).status_code == 204
    advance(0)
    assert list((app.world.directory / "uploads").iterdir()) == []


# Folders


def test_a_folder_lists_what_is_moved_into_it_and_leaves_it_behind(api, worker, path, make_folder, make_link):
    folder = make_folder()
    inside = make_link(folderId=folder["id"])
    make_link()
    of_folder = f"/workers/{worker['id']}/folders/{folder['id']}"
    assert api.get(f"{of_folder}/resources").json == [inside]
    move = f"{path}/{inside['id']}/move"
    assert api.post(move, {}).json["folderId"] is None
    assert api.post(move, {"folderId": folder["id"]}).json["folderId"] == folder["id"]
    assert api.delete(of_folder).status_code == 204
    assert api.get(f"{path}/{inside['id']}").json["folderId"] is None


def test_a_folder_name_is_unique_in_its_worker(api, worker, make_folder, make_worker):
    make_folder("A")
    other = make_folder("B")
    path = f"/workers/{worker['id']}/folders"
    assert api.post(path, {"name": "A"}).status_code == 409
    assert api.put(f"{path}/{other['id']}", {"name": "A"}).status_code == 409
    assert api.put(f"{path}/{other['id']}", {"name": "B", "description": "Same"}).json["description"] == "Same"
    assert api.post(f"/workers/{make_worker()['id']}/folders", {"name": "A"}).status_code == 201


def test_the_address_of_another_workers_upload_is_not_signed(
    api, other_api, make_file, make_worker, upload_address, control
):
    address = make_file()["s3FilePath"]
    not_uploaded = upload_address("later.csv").partition("?")[0]
    for owner, path in ((api, address), (other_api, address), (other_api, not_uploaded)):
        worker = make_worker(api=owner)
        made = created(owner.post(f"/workers/{worker['id']}/resources/file", FILE | {"s3FilePath": path}))
        assert made["signedS3FilePath"] is None
        shown = owner.get(f"/workers/{worker['id']}/resources/{made['id']}").json
        assert shown["signedS3FilePath"] is None
        row = {"id": f"r {worker['id']}", "workerId": worker["id"], "name": "R", "ragType": "FILE", "s3FilePath": path}
        assert control.post("/state", {"version": 1, "resources": [row]}).status_code == 204
        shown = owner.get(f"/workers/{worker['id']}/resources/{row['id']}").json
        assert (shown["s3FilePath"], shown["signedS3FilePath"]) == (path, None)


def test_an_upload_address_of_before_a_reset_does_not_replace_another_workers_upload(
    api, make_worker, upload_address, put, control
):
    control.post("/reset")
    first = make_worker()
    created(api.post("/team/tags", {"label": "A", "color": "#112233"}))
    old = upload_address(worker=first)
    control.post("/reset")
    assert make_worker()["id"] == first["id"]  # ids repeat with a seed
    new = upload_address(worker=make_worker())
    assert old.partition("?")[0] == new.partition("?")[0]
    assert (put(new, b"new"), put(old, b"old")) == (200, 403)
