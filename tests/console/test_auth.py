"""Authentication, and protection against pages of other sites."""

import pytest

from dryline.settings import Settings

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
        assert (answer.status_code, app.world.clock.of(None).is_frozen) == (403, False)

    def test_a_form_without_a_token_is_refused(self, app, visitor):
        visitor.go("")
        answer = visitor.client.post("/console/world/clock", data={"frozen": "true"})
        assert (answer.status_code, app.world.clock.of(None).is_frozen) == (403, False)

    def test_a_form_with_the_token_of_another_session_is_refused(self, app, visitor):
        fields = visitor.go("").form("/world/clock")["fields"]
        other = app.test_client()
        other.get("/console")
        assert other.post("/console/world/clock", data=fields).status_code == 403

    def test_an_unknown_host_is_refused(self, visitor):
        assert visitor.go("", Host="evil.example").status == 403

    def test_a_request_through_a_proxy_is_refused(self, visitor):
        page = visitor.go("", **{"X-Forwarded-For": "203.0.113.9"})
        assert (page.status, "behind a proxy it needs --admin-token" in page.text) == (403, True)

    def test_a_request_that_dryline_sends_for_a_team_is_refused(self, visitor):
        assert visitor.go("", **{"X-Dryline-Outgoing": "1"}).status == 403

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


class TestBeyondLoopback:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", host="0.0.0.0")

    def test_a_server_beyond_loopback_without_a_token_is_closed(self, visitor):
        assert visitor.go("").status == 403


class TestWithToken:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", host="0.0.0.0", admin_token="open sesame", label="Staging")

    @pytest.fixture
    def sign_in(self, visitor, settings):
        """Return a function that sends the token, from the page that redirects to the sign-in."""

        def send(next_page="", token=settings.admin_token):
            fields = visitor.go("/faults").form("")["fields"]
            query = f"?next={next_page}" if next_page else ""
            return visitor.client.post(f"/console/sign-in{query}", data=fields | {"token": token})

        return send

    def test_a_page_redirects_to_the_sign_in(self, visitor):
        page = visitor.go("/faults")
        assert page.form("")["fields"].keys() == {"_token", "token"}
        assert "Staging" in page.text

    def test_signing_in_redirects_to_the_requested_page(self, visitor, sign_in):
        assert sign_in("/console/faults").headers["Location"] == "/console/faults"
        assert "Faults" in visitor.go("/faults").text

    def test_a_next_address_with_a_line_break_is_ignored(self, sign_in):
        answer = sign_in("/console/%0D%0Aset-cookie:x")
        assert (answer.status_code, answer.headers["Location"]) == (303, "/console")

    def test_a_wrong_token_is_403(self, sign_in):
        assert sign_in(token="guess").status_code == 403

    def test_the_cookie_is_http_only_and_same_site(self, sign_in, settings):
        cookie = sign_in().headers["Set-Cookie"]
        assert all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/console"))
        assert settings.admin_token not in cookie

    def test_an_altered_cookie_is_refused(self, app, visitor, sign_in):
        sign_in()
        name = app.console.config["SESSION_COOKIE_NAME"]
        value = visitor.client.get_cookie(name, path="/console").value
        visitor.client.set_cookie(name, value[:-2] + "xx", path="/console")
        assert "Sign in" in visitor.go("").text

    def test_signing_out_ends_the_session(self, visitor, sign_in):
        sign_in()
        visitor.go("")
        visitor.send("/sign-out")
        assert "Sign in" in visitor.go("").text

    def test_the_poll_needs_the_session(self, app):
        assert app.test_client().get("/console/changes", headers={"HX-Request": "true"}).status_code == 403


class TestSmallBodies:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", max_body_mb=1)

    def test_a_form_that_is_too_large_is_a_page_with_status_413(self, app):
        answer = app.test_client().post("/console/workers", data={"name": "x" * 2_000_000, "back": "/console"})
        assert (answer.status_code, answer.mimetype) == (413, "text/html")


class TestBehindHttps:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", public_url="https://dryline.example", admin_token="t")

    def test_the_cookie_is_secure(self, app):
        page = app.test_client().get("/console/sign-in", base_url="https://dryline.example")
        assert "; Secure;" in page.headers["Set-Cookie"]
