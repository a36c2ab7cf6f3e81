"""A check of the project's wording: `python tools/plain_words.py [FILE …]` prints each place to reword.

It reads docstrings, comments, help texts, field descriptions and the guides. ruff's pydocstyle rules check the mood of
docstrings. This finds sentences whose subject is a question word, vague variable names, and class names
that stand for several classes.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

# A sentence that begins so has a clause as its subject ("What is answered is …"), unless it is a question.
QUESTION_WORD = re.compile(r"(Who|What|Whose|Whoever|Whatever)\b(?!.*\?)", re.DOTALL)
# A docstring describes a thing or an action, so it begins with neither of these.
DOCSTRING_START = re.compile(r"(Who|What|Whose|Whoever|Whatever|Where|How|As|That|Which|When)\b")
VAGUE_NAMES = {"told", "asked", "given", "wanted", "kept", "found"}
# A parameter that users may still pass by its old name says so in a comment on its line.
FORMER_NAME = "the former name of"
# Keyword arguments and mapping keys whose values people read.
TEXT_ARGUMENTS = {"help", "short_help", "description", "summary"}

Problem = tuple[int, str]


def check_python(text: str) -> Iterator[Problem]:
    """Yield the line and the fault of each place of a Python file."""
    yield from _check_comments(text)
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = ast.get_docstring(node)
            if docstring and (start := DOCSTRING_START.match(docstring)):
                yield getattr(node, "lineno", 1), f"a docstring begins with {start[0]!r}"
            if isinstance(node, ast.ClassDef | ast.Module):
                continue
            arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            for argument in arguments:
                if argument.arg in VAGUE_NAMES and FORMER_NAME not in lines[argument.lineno - 1]:
                    yield argument.lineno, f"{argument.arg!r} does not say what it holds"
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE_NAMES:
            yield node.lineno, f"{node.id!r} does not say what it holds"
        elif isinstance(node, ast.keyword) and node.arg in TEXT_ARGUMENTS:
            yield from _check_first_word(node.value)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in TEXT_ARGUMENTS:
                    yield from _check_first_word(value)


def check_markdown(text: str) -> Iterator[Problem]:
    """Yield the line and the fault of each paragraph, list item and table cell. A heading may be a clause."""
    is_code = False
    after_blank = True
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        starts = re.findall(r"(?:^\s*(?:[-*>]+|\d+\.)\s+|\|\s*|(?<=[.:] ))(\w.*)", line) if not is_code else []
        if after_blank and not is_code:
            starts.append(line.strip())
        for start in starts:
            if word := QUESTION_WORD.match(start):
                yield number, f"a sentence has {word[1]!r} as its subject"
                break
        after_blank = not line.strip()


def repeated_classes(files: dict[Path, str]) -> Iterator[str]:
    """Yield a line for each class name that several classes of the package share.

    `dryline.testing` is left out: its public names belong to other projects' tests.
    """
    files_of_class: dict[str, list[str]] = defaultdict(list)
    for path, text in files.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                files_of_class[node.name].append(str(path))
    for name, where in sorted(files_of_class.items()):
        if len(where) > 1:
            yield f"class {name} is defined {len(where)} times: {', '.join(where)}"


def _check_first_word(node: ast.expr) -> Iterator[Problem]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and (word := QUESTION_WORD.match(node.value)):
        yield node.lineno, f"a text begins with {word[1]!r}"


def _check_comments(text: str) -> Iterator[Problem]:
    previous = -1  # the line of the comment before, to see where a block begins
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            if line != previous + 1 and (word := QUESTION_WORD.match(token.string.lstrip("# "))):
                yield line, f"a comment begins with {word[1]!r}"
            previous = line


def main() -> int:
    """Check the files that are named, or all that git tracks; return the exit code."""
    command = ["git", "ls-files", "*.py", "*.md"]
    names = sys.argv[1:] or subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    paths = [Path(name) for name in names if Path(name).exists()]
    # The contract is not this project's text.
    paths = [path for path in paths if path.parts[:2] != ("tests", "contract")]
    texts = {path: path.read_text() for path in paths}
    problems = [
        f"{path}:{line}: {fault}"
        for path, text in texts.items()
        for line, fault in (check_python(text) if path.suffix == ".py" else check_markdown(text))
    ]
    package = {
        path: text
        for path, text in texts.items()
        if path.suffix == ".py" and path.parts[0] not in OUTSIDE | {"testing"}
    }
    problems += repeated_classes(package)
    print("\n".join(problems) or "The wording is plain.")
    return bool(problems)


# Folders that are not part of the package.
OUTSIDE = {"tests", "tools", ".ci"}

if __name__ == "__main__":
    sys.exit(main())
