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


DOORS = ("/api/workers", "/_dryline/clock", "/console")
# With and without a port.
THIS_MACHINE = ["localhost:", "app.localhost", "a.b.LOCALHOST:4010", "localhost.", "127.0.0.1.", "127.8.8.8"]
THIS_MACHINE += ["127.0.0.1:65535", "[::1]:4010", "[::1%lo]", "[::ffff:127.0.0.1]:4010"]
OTHERS = ["localhost.evil.example", "notlocalhost", "127.0.0.1.evil.example", "0.0.0.0", "10.0.0.1:4010", "."]
OTHERS += ["[::2]:1", "::1", "[::ffff:8.8.8.8]", ".localhost", "a..localhost", "..example", f"{'a' * 64}.example"]


@pytest.mark.parametrize("host", THIS_MACHINE)
def test_each_spelling_of_this_machine_opens_the_api_the_plane_and_the_console(ask, host):
    assert [ask(path, host=host)[0] for path in DOORS] == [200] * 3


@pytest.mark.parametrize("host", OTHERS)
def test_a_name_that_only_looks_like_this_machine_opens_none_of_them(ask, host):
    assert [ask(path, host=host)[0] for path in DOORS] == [403] * 3


@pytest.mark.parametrize("host", ["LOCALHOST", "127.0.0.2", "::ffff:127.0.0.1"])
def test_a_server_on_this_machine_is_open_however_its_host_is_spelled(host):
    assert Settings(host=host).loopback


def test_a_dot_at_the_end_of_an_allowed_host_does_not_count(start):
    ask = start(allowed_hosts=("dryline.test",))
    assert ask("/api/workers", host="dryline.test.:4010")[0] == 200


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
