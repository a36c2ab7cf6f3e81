"""Authentication, and protection against pages of other sites."""

import pytest

from dryline.settings import Settings
from dryline.tests.console.visitor import Page

FOLLOWED_LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


class TestWithoutToken:
    def test_a_link_on_another_site_leads_to_the_page(self, visitor):
        page = visitor.go("/faults?x=1", **FOLLOWED_LINK)
        assert page.status == 200
        assert page.links == ["/console/faults?x=1"]

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    @pytest.mark.parametrize(
        "headers",
        [
            {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
            {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
            {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        ],
    )
    def test_other_requests_of_another_site_are_refused(self, visitor, site, headers):
        assert visitor.go("", **{"Sec-Fetch-Site": site}, **headers).status == 403

    def test_a_form_of_another_site_is_refused(self, app, visitor):
        fields = visitor.go("").form("/world/clock")["fields"]
        headers = FOLLOWED_LINK | {"Origin": "http://evil.example"}
        answer = app.test_client().post("/console/world/clock", data=fields, headers=headers)
        assert (answer.status_code, app.world.clock.is_frozen) == (403, False)

    def test_a_form_needs_the_token_of_its_session(self, app, visitor):
        fields = visitor.go("").form("/world/clock")["fields"]
        assert visitor.client.post("/console/world/clock", data={"frozen": "true"}).status_code == 403
        other = app.test_client()
        other.get("/console")
        assert other.post("/console/world/clock", data=fields).status_code == 403
        assert not app.world.clock.is_frozen

    @pytest.mark.parametrize(
        ("headers", "reason"),
        [
            ({"Host": "evil.example"}, ""),
            ({"X-Forwarded-For": "203.0.113.9"}, "behind a proxy it needs --admin-token"),
            ({"X-Dryline-Outgoing": "1"}, ""),  # a request that dryline sends for a team
        ],
    )
    def test_requests_from_elsewhere_are_refused(self, visitor, headers, reason):
        page = visitor.go("", **headers)
        assert page.status == 403 and reason in page.text

    def test_pages_have_a_content_security_policy_without_other_sources(self, visitor):
        headers = visitor.go("").answer.headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"

    @pytest.mark.parametrize("address", ["//evil.example", "https://evil.example/console/", "/\\evil.example", "/api"])
    def test_a_form_redirects_to_no_other_site(self, visitor, address):
        form = visitor.go("").form("/world/clock")
        answer = visitor.client.post(form["action"], data=form["fields"] | {"back": address})
        assert answer.headers["Location"] == "/console"


@pytest.mark.parametrize("settings", [Settings(ephemeral=True, scenario="empty", host="0.0.0.0")])
def test_a_server_beyond_loopback_without_a_token_is_closed(visitor):
    assert visitor.go("").status == 403


class TestWithToken:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", host="0.0.0.0", admin_token="open sesame", label="Staging")

    @pytest.fixture
    def sign_in(self, visitor, settings):
        """Return a function that sends the token, from the page that redirects to the sign-in."""

        def send(query="", token=settings.admin_token):
            fields = visitor.go("/faults").form("")["fields"]
            return visitor.client.post(f"/console/sign-in{query}", data=fields | {"token": token})

        return send

    def test_signing_in_leads_to_the_requested_page_until_signing_out(self, visitor, sign_in):
        page = visitor.go("/faults")
        assert page.form("")["fields"].keys() == {"_token", "token"}
        assert "Staging" in page.text
        assert sign_in("?next=/console/faults").headers["Location"] == "/console/faults"
        assert "Faults" in visitor.go("/faults").text
        visitor.send("/sign-out")
        assert "Sign in" in visitor.go("").text

    def test_a_copy_of_the_cookie_is_refused_after_its_sign_out(self, app, visitor, sign_in):
        sign_in()
        name = app.console.config["SESSION_COOKIE_NAME"]
        copy, other = app.test_client(), app.test_client()
        copy.set_cookie(name, visitor.client.get_cookie(name, path="/console").value, path="/console")
        fields = Page(other.get("/console/sign-in")).form("")["fields"]
        other.post("/console/sign-in", data=fields | {"token": "open sesame"})
        assert [one.get("/console/faults").status_code for one in (copy, other)] == [200, 200]
        visitor.go("")
        visitor.send("/sign-out")
        assert [one.get("/console/faults").status_code for one in (copy, other)] == [303, 200]
        assert copy.get("/console/changes", headers={"HX-Request": "true"}).status_code == 403
        del app.console  # after a restart, too
        assert [one.get("/console/faults").status_code for one in (copy, other)] == [303, 200]

    def test_a_next_address_with_a_line_break_is_ignored(self, sign_in):
        answer = sign_in("?next=/console/%0D%0Aset-cookie:x")
        assert (answer.status_code, answer.headers["Location"]) == (303, "/console")

    def test_a_wrong_token_is_403(self, app, sign_in):
        assert sign_in(token="guess").status_code == 403
        assert app.test_client().get("/console/changes", headers={"HX-Request": "true"}).status_code == 403

    def test_the_cookie_is_http_only_same_site_and_signed(self, app, visitor, sign_in, settings):
        cookie = sign_in().headers["Set-Cookie"]
        assert all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/console"))
        assert settings.admin_token not in cookie
        name = app.console.config["SESSION_COOKIE_NAME"]
        value = visitor.client.get_cookie(name, path="/console").value
        visitor.client.set_cookie(name, value[:-2] + "xx", path="/console")
        assert "Sign in" in visitor.go("").text


@pytest.mark.parametrize("settings", [Settings(ephemeral=True, scenario="empty", max_body_mb=1)])
def test_a_form_that_is_too_large_is_a_page_with_status_413(app):
    answer = app.test_client().post("/console/workers", data={"name": "x" * 2_000_000, "back": "/console"})
    assert (answer.status_code, answer.mimetype) == (413, "text/html")


HTTPS = Settings(ephemeral=True, scenario="empty", public_url="https://dryline.example", admin_token="t")


@pytest.mark.parametrize("settings", [HTTPS])
def test_the_cookie_is_secure_behind_https(app):
    page = app.test_client().get("/console/sign-in", base_url="https://dryline.example")
    assert "; Secure;" in page.headers["Set-Cookie"]
