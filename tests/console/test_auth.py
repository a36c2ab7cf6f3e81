"""Who may see the console, and what another site's page can do to it: nothing."""

import pytest

from dryline.settings import Settings

BY_LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


class TestWithoutToken:
    def test_the_root_leads_to_the_console(self, app):
        assert app.test_client().get("/").headers["Location"].endswith("/console")

    def test_a_link_from_elsewhere_leads_to_the_page(self, visitor):
        page = visitor.go("/faults?x=1", **BY_LINK)
        assert page.status == 200
        assert page.links == ["/console/faults?x=1"]

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    @pytest.mark.parametrize(
        "rest",
        [
            {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
            {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
            {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        ],
    )
    def test_another_sites_page_reads_nothing(self, visitor, site, rest):
        assert visitor.go("", **{"Sec-Fetch-Site": site}, **rest).status == 403

    def test_another_sites_form_changes_nothing(self, app, visitor):
        fields = visitor.go("").form("/bar/clock")["fields"]
        headers = BY_LINK | {"Origin": "http://evil.example"}
        answer = app.test_client().post("/console/bar/clock", data=fields, headers=headers)
        assert (answer.status_code, app.world.clock.of(None).is_frozen) == (403, False)

    def test_a_form_without_the_pages_token_changes_nothing(self, app, visitor):
        visitor.go("")
        answer = visitor.client.post("/console/bar/clock", data={"frozen": "true"})
        assert (answer.status_code, app.world.clock.of(None).is_frozen) == (403, False)

    def test_the_token_of_another_person_is_of_no_use(self, app, visitor):
        fields = visitor.go("").form("/bar/clock")["fields"]
        other = app.test_client()
        other.get("/console")
        assert other.post("/console/bar/clock", data=fields).status_code == 403

    def test_a_foreign_name_for_this_machine_is_refused(self, visitor):
        assert visitor.go("", Host="evil.example").status == 403

    def test_behind_a_proxy_it_needs_a_token(self, visitor):
        page = visitor.go("", **{"X-Forwarded-For": "203.0.113.9"})
        assert (page.status, "behind a proxy it needs --admin-token" in page.text) == (403, True)

    def test_a_request_that_dryline_sends_for_a_team_is_refused(self, visitor):
        assert visitor.go("", **{"X-Dryline-Outgoing": "1"}).status == 403

    def test_pages_carry_a_policy_of_own_sources_only(self, visitor):
        headers = visitor.go("").answer.headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"

    @pytest.mark.parametrize("address", ["//evil.example", "https://evil.example/console/", "/\\evil.example", "/api"])
    def test_a_form_leads_to_no_other_site(self, visitor, address):
        form = visitor.go("").form("/bar/clock")
        answer = visitor.client.post(form["action"], data=form["fields"] | {"back": address})
        assert answer.headers["Location"] == "/console"


class TestClosed:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", host="0.0.0.0")

    def test_a_server_for_all_is_closed_without_a_token(self, visitor):
        assert visitor.go("").status == 403


class TestWithToken:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", host="0.0.0.0", admin_token="open sesame", label="Staging")

    @pytest.fixture
    def token(self, settings):
        return settings.admin_token

    def test_who_has_no_token_is_asked_for_it(self, visitor):
        page = visitor.go("/faults")
        assert page.form("")["fields"].keys() == {"_token", "token"}
        assert "Staging" in page.text

    def test_the_token_leads_to_the_page_that_was_wanted(self, visitor, token):
        visitor.go("/faults")
        answer = visitor.client.post(
            "/console/sign-in?next=/console/faults", data=visitor.page.form("")["fields"] | {"token": token}
        )
        assert answer.headers["Location"] == "/console/faults"
        assert visitor.go("/faults").status == 200
        assert "Faults" in visitor.page.text

    def test_a_next_page_with_a_line_break_is_not_followed(self, visitor, token):
        fields = visitor.go("/faults").form("")["fields"] | {"token": token}
        answer = visitor.client.post("/console/sign-in?next=/console/%0D%0Aset-cookie:x", data=fields)
        assert (answer.status_code, answer.headers["Location"]) == (303, "/console")

    def test_a_wrong_token_is_told(self, visitor):
        fields = visitor.go("").form("")["fields"]
        assert visitor.client.post("/console/sign-in", data=fields | {"token": "guess"}).status_code == 403

    def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites(self, visitor, token):
        fields = visitor.go("").form("")["fields"]
        answer = visitor.client.post("/console/sign-in", data=fields | {"token": token})
        cookie = answer.headers["Set-Cookie"]
        assert all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/console"))
        assert token not in cookie

    def test_an_altered_cookie_opens_nothing(self, app, visitor, token):
        fields = visitor.go("").form("")["fields"]
        visitor.client.post("/console/sign-in", data=fields | {"token": token})
        name = app.console.config["SESSION_COOKIE_NAME"]
        value = visitor.client.get_cookie(name, path="/console").value
        visitor.client.set_cookie(name, value[:-2] + "xx", path="/console")
        assert "Sign in" in visitor.go("").text

    def test_no_answer_that_comes_late_can_sign_one_in_again(self, visitor, token):
        fields = visitor.go("").form("")["fields"]
        visitor.client.post("/console/sign-in", data=fields | {"token": token})
        for address in ("", "/faults", "/pulse"):
            assert "Set-Cookie" not in visitor.client.get(f"/console{address}").headers

    def test_signing_out_closes_the_door(self, visitor, token):
        fields = visitor.go("").form("")["fields"]
        visitor.client.post("/console/sign-in", data=fields | {"token": token})
        visitor.go("")
        visitor.send("/sign-out")
        assert "Sign in" in visitor.go("").text

    def test_the_pulse_is_closed_too(self, app):
        assert app.test_client().get("/console/pulse", headers={"HX-Request": "true"}).status_code == 403


class TestSmallBodies:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", max_body_mb=1)

    def test_a_form_that_is_too_large_is_refused_with_a_page(self, app):
        answer = app.test_client().post("/console/workers", data={"name": "x" * 2_000_000, "back": "/console"})
        assert (answer.status_code, answer.mimetype) == (413, "text/html")


class TestBehindHttps:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", public_url="https://dryline.example", admin_token="t")

    def test_the_cookie_is_sent_over_https_only(self, app):
        page = app.test_client().get("/console/sign-in", base_url="https://dryline.example")
        assert "; Secure;" in page.headers["Set-Cookie"]
