"""By which names a server on loopback may be asked, and what it tells browsers."""

import contextlib
import http.client

import pytest

from dryline.serving.server import in_thread
from dryline.settings import BadSetting, Settings

PATHS = ["/api/workers", "/docs", "/openapi.json", "/", "/downloads/exports/x", "/uploads/x/y", "/no-such-path"]


@pytest.fixture(scope="module")
def start():
    """Serve with these settings; gives a function that asks with a Host header and answers status, headers and body."""

    def start(**settings):
        settings = Settings(ephemeral=True, scenario="empty", port=0, **settings)
        server = running.enter_context(in_thread(settings))

        def ask(path, host="localhost", method="GET", **headers):
            connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=20)
            headers = {"Host": host, "x-api-key": "dryline-local-key"} | headers
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            return answer.status, answer.headers, body

        return ask

    with contextlib.ExitStack() as running:
        yield start


@pytest.fixture(scope="module")
def ask(start):
    """Asks the server that no setting says anything to."""
    return start()


@pytest.mark.parametrize("path", PATHS)
def test_a_name_that_leads_here_from_elsewhere_is_refused(ask, path):
    status, _, body = ask(path, host="evil.example:4010")
    assert status == 403
    assert b"--allowed-host" in body


def test_health_is_open_to_all_names(ask):
    assert ask("/_dryline/health", host="evil.example")[0] == 200


def test_a_name_from_the_settings_opens_the_api_and_the_plane(start):
    ask = start(allowed_hosts=("Host.Docker.Internal",))
    for path in ("/api/workers", "/_dryline/clock"):
        assert ask(path, host="host.docker.internal:4010")[0] == 200
        assert ask(path, host="evil.example")[0] == 403


def test_the_public_urls_name_opens_the_api_and_not_the_plane(start):
    ask = start(public_url="https://dryline.example/base")
    assert ask("/api/workers", host="dryline.example")[0] == 200
    assert ask("/_dryline/clock", host="dryline.example")[0] == 403


@pytest.mark.parametrize("host", ["", "http://dryline.test", "dryline.test/x", "a b"])
def test_a_name_that_is_none_is_a_bad_setting(host):
    with pytest.raises(BadSetting, match="--allowed-host"):
        Settings(allowed_hosts=(host,))


@pytest.mark.parametrize("path", [*PATHS, "/_dryline/health", "/_dryline/clock"])
def test_every_answer_says_that_its_type_is_what_it_says(ask, path):
    assert ask(path)[1]["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/docs", "/"])
def test_no_page_is_shown_within_another(ask, path):
    headers = ask(path)[1]
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
