"""The lines of each room beside its ceiling: `make size`.

A room is a folder or a part of one. Blank lines and comments count. Whoever reaches a ceiling takes a mechanism out.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
# The ceiling of each room in lines, and the start of its files' paths. The longest start that fits decides.
ROOMS = {
    "root modules": (720, ""),
    "commands": (2_700, "commands/"),
    "testing": (1_600, "testing/"),
    "serving": (600, "serving/"),
    "web": (1_250, "web/"),
    "blueprints: areas": (2_550, "blueprints/"),
    "blueprints: control": (1_550, "blueprints/control/"),
    "blueprints: console": (3_700, "blueprints/console/"),
    "jobs": (930, "jobs/"),
    "simulator": (3_600, "simulator/"),
    "flow": (7_200, "flow/"),
    "state": (1_150, "state/"),
    "schemas": (3_850, "schemas/"),
    "models": (6_000, "models/"),
    "world": (1_800, "world/"),
    "storage": (1_250, "storage/"),
    "data": (150, "data/"),
}
PRODUCT, PAGES, TESTS = 40_000, 4_000, 26_000
SCENARIOS_MB, MODEL_MB = 6.0, 2.5
BESIDE = ("tools/", ".ci/", "docs/", "deploy/")  # Python that is not in the wheel


def main() -> None:
    """Print the table."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    files = [name for name in names if name and (ROOT / name).is_file()]
    rooms = dict.fromkeys(ROOMS, 0)
    for name in files:
        if name.endswith(".py") and not name.startswith(("tests/", *BESIDE)):
            rooms[_room_of(name)] += _lines(name)
    rows = [(room, count, ROOMS[room][0]) for room, count in rooms.items()]
    rows.append(("product", sum(rooms.values()), PRODUCT))
    pages = [
        name for name in files if name.startswith("blueprints/console/") and name.endswith((".html", ".css", ".js"))
    ]
    rows.append(("templates, JS, CSS", sum(_lines(name) for name in pages if not name.endswith(".min.js")), PAGES))
    tests = [name for name in files if name.startswith("tests/") and name.endswith(".py")]
    rows.append(("tests", sum(map(_lines, tests)), TESTS))
    for room, count, ceiling in rows:
        print(f"{room:22} {count:7,} of {ceiling:7,}{'   OVER' if count > ceiling else ''}")
    scenarios = [name for name in files if name.startswith("data/") and name.endswith(".json")]
    models = [name for name in files if name.startswith("flow/model/") and not name.endswith((".py", ".json"))]
    for title, sized, most in (("scenarios, MB", scenarios, SCENARIOS_MB), ("the model's file, MB", models, MODEL_MB)):
        size = sum((ROOT / name).stat().st_size for name in sized) / 1e6
        print(f"{title:22} {size:7.1f} of {most:7.1f}{'   OVER' if size > most else ''}")


def _room_of(name: str) -> str:
    """Return the room of a Python file; a folder that has none is a room of its own, without a ceiling."""
    starts = {start: room for room, (_, start) in ROOMS.items() if start and name.startswith(start)}
    if starts:
        return starts[max(starts, key=len)]
    if "/" in name:
        raise SystemExit(f"{name} is in no room: add its folder to ROOMS.")
    return "root modules"


def _lines(name: str) -> int:
    return len((ROOT / name).read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    main()
