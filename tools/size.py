"""The lines of each room, for information: `make size`.

A room is a folder or a part of one. Blank lines and comments count.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
# The rooms, and how the paths of their files begin. A file belongs to the room with the longest beginning that fits.
ROOMS = {
    "root modules": "",
    "commands": "commands/",
    "testing": "testing/",
    "serving": "serving/",
    "web": "web/",
    "blueprints: areas": "blueprints/",
    "blueprints: control": "blueprints/control/",
    "blueprints: console": "blueprints/console/",
    "jobs": "jobs/",
    "simulator": "simulator/",
    "flow": "flow/",
    "state": "state/",
    "schemas": "schemas/",
    "models": "models/",
    "world": "world/",
    "storage": "storage/",
    "data": "data/",
}
NOT_IN_THE_WHEEL = ("tests/", "tools/", ".ci/", "docs/", "deploy/")


def main() -> None:
    """Print the table."""
    names = _tracked_files()
    product = [name for name in names if name.endswith(".py") and not name.startswith(NOT_IN_THE_WHEEL)]
    lines_by_room = dict.fromkeys(ROOMS, 0)
    for name in product:
        lines_by_room[_room_of(name)] += _lines(name)
    for room, lines in lines_by_room.items():
        _print_row(room, f"{lines:,}")
    _print_row("product", f"{sum(lines_by_room.values()):,}")

    page_files = [name for name in names if name.startswith("blueprints/console/")]
    page_files = [name for name in page_files if name.endswith((".html", ".css", ".js")) and ".min." not in name]
    _print_row("templates, JS, CSS", f"{sum(map(_lines, page_files)):,}")
    tests = [name for name in names if name.startswith("tests/") and name.endswith(".py")]
    _print_row("tests", f"{sum(map(_lines, tests)):,}")

    scenarios = [name for name in names if name.startswith("data/") and name.endswith(".json")]
    _print_row("scenarios, MB", f"{_megabytes(scenarios):.1f}")
    models = [name for name in names if name.startswith("flow/model/") and not name.endswith((".py", ".json"))]
    _print_row("the model's file, MB", f"{_megabytes(models):.1f}")


def _tracked_files() -> list[str]:
    """Return the paths of the files that git tracks and that are there."""
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listing.splitlines() if (ROOT / name).is_file()]


def _room_of(name: str) -> str:
    """Return the room of a Python file. A folder that no room names counts as root modules."""
    fitting = [room for room, beginning in ROOMS.items() if name.startswith(beginning)]
    return max(fitting, key=lambda room: len(ROOMS[room]))


def _lines(name: str) -> int:
    return len((ROOT / name).read_text(encoding="utf-8").splitlines())


def _megabytes(names: list[str]) -> float:
    return sum((ROOT / name).stat().st_size for name in names) / 1e6


def _print_row(title: str, value: str) -> None:
    print(f"{title:22} {value:>7}")


if __name__ == "__main__":
    main()
