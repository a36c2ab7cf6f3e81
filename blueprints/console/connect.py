"""Address, key and snippets that work as they are copied."""

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import PageBlueprint
from dryline.blueprints.console.snippets import NO_KEY
from dryline.storage.current_world import current
from dryline.web.links import base_url

blp = PageBlueprint("connect", "Connect", "n", path="/connect")


@blp.get("")
def show() -> Any:
    """Show how programs connect to this server."""
    address, key = base_url(), next(iter(current().settings.api_keys), "")
    return render_template("connect.html", address=address, key=key, snippets=_snippets(address, key or NO_KEY))


def _snippets(address: str, key: str) -> list[tuple[str, str, str]]:
    """Return the id, the title and the text of each snippet."""
    return [
        (
            "environment",
            "Environment of the vendor's client",
            f"export BRAINBASE_LABS_BASE_URL={address}\nexport BRAINBASE_LABS_API_KEY={key}",
        ),
        (
            "python",
            "Python, the vendor's client (pip install brainbase-labs)",
            "from brainbase_labs import BrainbaseLabs\n\n"
            f'client = BrainbaseLabs(base_url="{address}", api_key="{key}")\n'
            "for worker in client.workers.list():\n    print(worker.id, worker.name)",
        ),
        (
            "javascript",
            "JavaScript",
            f'const answer = await fetch("{address}/api/workers", {{ headers: {{ "x-api-key": "{key}" }} }});\n'
            "console.log((await answer.json()).map((worker) => worker.name));",
        ),
        ("curl", "curl", f"curl -s {address}/api/workers -H 'x-api-key: {key}'"),
        (
            "pytest",
            "pytest (a stand-in of its own for each test)",
            "def test_workers(dryline):\n    assert list(dryline.client().workers.list()) == []",
        ),
    ]
