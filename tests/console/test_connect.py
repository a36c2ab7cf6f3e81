"""The page Connect."""

import subprocess
import sys

import pytest

from dryline.tests.console.visitor import snippets


@pytest.mark.parametrize(
    ("language", "command"),
    [
        ("Python", [sys.executable, "-c"]),
        ("JavaScript", ["node", "--input-type=module", "-e"]),
    ],
)
def test_a_snippet_lists_the_workers(demo, language, command):
    done = subprocess.run([*command, snippets(demo, "/connect")[0][language]], capture_output=True, text=True)
    assert "Bayside Dental" in done.stdout, done.stderr
