"""Address, key and snippets that work as they are copied."""

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import PageBlueprint
from dryline.blueprints.console.snippets import NO_KEY
from dryline.storage.current_world import current
from dryline.web.links import base_url

blp = PageBlueprint("connect", "Connect", "n", path="/connect")

_ENVIRONMENT = """\
export BRAINBASE_LABS_BASE_URL={base_url}
export BRAINBASE_LABS_API_KEY={key}"""

_PYTHON = """\
from brainbase_labs import BrainbaseLabs

client = BrainbaseLabs(base_url="{base_url}", api_key="{key}")
for worker in client.workers.list():
    print(worker.id, worker.name)"""

_JAVASCRIPT = """\
const answer = await fetch("{base_url}/api/workers", {{ headers: {{ "x-api-key": "{key}" }} }});
console.log((await answer.json()).map((worker) => worker.name));"""

_CURL = "curl -s {base_url}/api/workers -H 'x-api-key: {key}'"

_PYTEST = """\
def test_workers(dryline):
    assert list(dryline.client().workers.list()) == []"""

# The id, the title and the code of each example.
_EXAMPLES = (
    ("environment", "Environment of the vendor's client", _ENVIRONMENT),
    ("python", "Python, the vendor's client (pip install brainbase-labs)", _PYTHON),
    ("javascript", "JavaScript", _JAVASCRIPT),
    ("curl", "curl", _CURL),
    ("pytest", "pytest (a stand-in of its own for each test)", _PYTEST),
)


@blp.get("")
def show() -> Any:
    """Show how programs connect to this server."""
    key = next(iter(current().settings.api_keys), "")
    examples = [(id, title, code.format(base_url=base_url(), key=key or NO_KEY)) for id, title, code in _EXAMPLES]
    return render_template("connect.html", key=key, examples=examples)
