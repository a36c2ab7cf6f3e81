"""Pages without rows: what they are for, and the command that fills them."""

import re
import subprocess
from html import unescape
from urllib.request import urlopen

import pytest

from dryline.serving.server import in_thread
from dryline.settings import Settings
from dryline.tests.conftest import NEW_WORKER, Api, created


@pytest.fixture(scope="module")
def empty():
    """Yield a server whose only worker has a flow and a voice deployment, and its client."""
    with in_thread(Settings(ephemeral=True, scenario="empty", port=0)) as server:
        yield server


@pytest.fixture(scope="module")
def line(empty):
    """Return the voice deployment."""
    api = Api(empty.app.test_client(), "dryline-local-key")
    worker = created(api.post("/workers", NEW_WORKER))["id"]
    flow = created(api.post(f"/workers/{worker}/flows", {"name": "Greeting", "code": 'say("Hello")\n'}))["id"]
    body = {"name": "Line", "flowId": flow, "phoneNumber": "+14155550100"}
    return created(api.post(f"/workers/{worker}/deployments/voice", body))


def read(server, address):
    with urlopen(f"{server.url}/console{address}") as answer:
        return answer.read().decode()


@pytest.mark.parametrize("page", ["/calls", "/exports", "/requests", "/faults", "tests", "resources"])
def test_an_empty_page_has_the_command_that_fills_it(empty, line, page):
    if page == "/requests":
        empty.app.test_client().delete("/_dryline/requests")
    address = page if page.startswith("/") else f"/workers/{line['workerId']}/{page}"
    (command,) = re.findall(r'class="nothing">.*?<pre[^>]*><code>(curl.*?)</code>', read(empty, address), re.DOTALL)
    done = subprocess.run(f"{unescape(command)} -s -f", shell=True, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stdout)
    assert 'class="nothing"' not in read(empty, address).partition("<main")[2]
