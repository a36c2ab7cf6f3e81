# Each target sets up what it needs in .venv, from nothing but Python >= 3.11.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint bench

run: .venv/installed
	$(BIN)/dryline serve --data-dir data $(ARGS)

test: .venv/installed
	$(BIN)/pytest -n 2 $(ARGS)

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# mypy wants the package under its name: the repository root is `dryline`.
	@mkdir -p .mypy_cache/path && ln -sfn "$(CURDIR)" .mypy_cache/path/dryline
	MYPYPATH=.mypy_cache/path $(BIN)/mypy -p dryline

bench: .venv/installed
	$(BIN)/python bench/run.py $(ARGS)

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@
