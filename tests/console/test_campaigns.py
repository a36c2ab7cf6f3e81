"""The pages of campaigns."""

import io
import re

import pytest

from dryline.tests.console.visitor import words

SHEET = "id,name,phoneNumber\na,Jo,+14155550101\nb,Al,+14155550102\nc,Bo,+14155550103\n"


@pytest.fixture(autouse=True)
def frozen(control):
    control.put("/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})


@pytest.fixture
def create(visitor, line):
    """Return a function that creates a campaign by the forms and returns the address of its page."""

    def make(data=SHEET, **values):
        values = {"deploymentId": line["id"], "name": "Spring", "data": data, "status": "STARTED", **values}
        visitor.go("/campaigns/new")
        visitor.send("/campaigns/new", **values)
        page = visitor.send("/campaigns", data=data)
        assert page.status == 200, page.text
        return page.answer.request.path.removeprefix("/console")

    return make


@pytest.fixture
def preview(visitor, line):
    def show(**values):
        visitor.go("/campaigns/new")
        return visitor.send("/campaigns/new", **{"deploymentId": line["id"], **values})

    return show


@pytest.fixture
def campaigns(api, line):
    base = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/outbound-campaigns"
    return lambda: api.get(base).json


@pytest.fixture
def calls(api, line):
    """Return a function that returns the row ids of the placed calls."""
    base = f"/workers/{line['workerId']}/deploymentLogs/voice?limit=100"
    return lambda: sorted(log["metadata"]["rowId"] for log in api.get(base).json["data"])


def states(page):
    """Return the states of the listed rows."""
    table = page.answer.text.partition("<tbody>")[2].partition("</tbody>")[0]
    return re.findall(r'<span class="state [\w-]*">([^<]+)</span>', table)


class TestNew:
    def test_a_campaign_is_created_from_csv(self, create, campaigns):
        create(batch_size="2", batch_interval_minutes="7", status="CREATED")
        (campaign,) = campaigns()
        assert campaign["data"][0] == {"id": "a", "name": "Jo", "phoneNumber": "+14155550101"}
        assert (campaign["name"], campaign["status"], len(campaign["data"])) == ("Spring", "CREATED", 3)
        assert (campaign["batchSize"], campaign["batchIntervalMinutes"]) == (2, 7)

    def test_a_file_with_other_separators_replaces_the_text(self, preview):
        page = preview(
            data="nothing", file=(io.BytesIO(b"\xef\xbb\xbf" + SHEET.replace(",", ";").encode()), "rows.csv")
        )
        assert "3 rows can be called" in page.text

    def test_rows_that_cannot_be_called_are_named_and_left_out(self, preview, create, campaigns):
        data = f"{SHEET}d,Cy,abc\ne,Cy,\nf,Cy,+14155550104,more\n"
        text = preview(data=data).text
        assert "Line 5: 'abc' is no phone number in E.164 form." in text
        assert "Line 6: '' is no phone number in E.164 form." in text
        assert "Line 7: It has 4 values for 3 columns." in text
        assert "3 rows can be called, 3 cannot" in text
        create(data, status="CREATED")
        assert [one["id"] for one in campaigns()[0]["data"]] == ["a", "b", "c"]

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("", "There are no rows"),
            ("name,age\nJo,3\n", "The row has no phoneNumber."),
        ],
    )
    def test_text_that_is_no_table_is_refused(self, preview, text, fault):
        page = preview(data=text)
        assert fault in page.text and "0 rows can be called" in page.text
        assert not any(form["action"].endswith("/campaigns") for form in page.forms)

    def test_a_campaign_needs_rows_and_a_deployment_of_the_team(
        self, visitor, other_api, make_voice_deployment, preview, campaigns
    ):
        foreign = make_voice_deployment(api=other_api)
        preview(data=SHEET)
        page = visitor.send("/campaigns", data=SHEET, deploymentId=foreign["id"])
        assert f"{foreign['id']} not found." in page.text
        preview(data=SHEET)
        assert "There are no rows that can be called." in visitor.send("/campaigns", data="a").text
        assert campaigns() == []


class TestRunning:
    def test_batches_are_called_at_once_by_hand_and_when_they_are_due(self, visitor, create, calls, advance):
        address = create(SHEET + "d,Cy,+14155550104\n", batch_size="1")
        page = visitor.go(address)
        assert calls() == ["a"]
        assert states(page)[1:] == ["queued"] * 3 and "1 row in 0:05:00" in words(page)
        page = visitor.send("/next")
        assert calls() == ["a", "b"] and "1 row in 0:10:00" in page.text
        assert states(visitor.go(f"{address}?state=queued")) == ["queued", "queued"]
        assert re.search(r"Spring\s+Line\s+running\s+4\s+2\s+Thu 1 Jan 00:10:00", visitor.go("/campaigns").text)
        advance(600)
        assert calls() == ["a", "b", "c"]

    def test_a_row_has_the_result_of_its_call(self, visitor, api, line, create, control):
        address = create(batch_size="1")
        (log,) = control.get("/state").json["voiceLogs"]
        control.put(
            "/state",
            control.get("/state").json
            | {"voiceLogs": [log | {"extractionsData": {"confirmed": True, "new_day": "Friday", "name": "Jo"}}]},
        )
        text = words(visitor.go(address))
        assert "Confirmed: yes; New day: Friday" in text and "Name: Jo" not in text

    def test_rows_of_a_legacy_campaign_are_queued_in_progress_or_have_their_outcome(
        self, visitor, api, advance, make_voicev1_deployment
    ):
        deployment = make_voicev1_deployment()
        path = f"/workers/{deployment['workerId']}/deployments/voicev1/{deployment['id']}/campaigns"
        campaign = api.post(path, {"steps": [{"name": "call"}]}).json["id"]
        data = [{"id": f"r{n}", "phoneNumber": f"+1415555{n:04}"} for n in range(11)]
        assert api.post(f"{path}/{campaign}/run", {"data": data}).status_code == 200
        assert states(visitor.go(f"/campaigns/{campaign}")) == ["queued"] * 11
        advance()
        assert states(visitor.go(f"/campaigns/{campaign}")) == ["in progress"] * 10 + ["queued"]
        advance(3600)
        ended = api.get(f"{path}/{campaign}").json["data"]
        outcomes = [row["result"]["callStatus"] for row in ended]
        assert states(visitor.go(f"/campaigns/{campaign}")) == outcomes

    def test_a_campaign_is_stopped_and_started_again(self, visitor, create, campaigns, calls):
        visitor.go(create(batch_size="1"))
        assert states(visitor.send("/stop"))[1:] == ["not queued", "not queued"]
        assert campaigns()[0]["status"] == "STOPPED"
        visitor.send("/start")
        assert calls() == ["a", "b"]
