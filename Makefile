# Each target sets up what it needs, from nothing but Python >= 3.11.
PYTHON ?= python3
# A Python that is named has an environment of its own: `make PYTHON=python3.13 test` makes .venv-3.13.
ifeq ($(PYTHON),python3)
VENV := .venv
else
VENV := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
BIN := $(VENV)/bin

.PHONY: run test lint bench screenshots understanding size

run: $(VENV)/serving
	$(BIN)/dryline serve $(ARGS)

test: $(VENV)/installed
	$(BIN)/pytest -n 2 $(ARGS)

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/plain_words.py
	@# A long line of a template holds several attributes, or an expression that wants a name in Python.
	! grep -nE '^.{126}' blueprints/console/templates/*.html
	@# mypy wants the package under its name: the repository root is `dryline`.
	@mkdir -p .mypy_cache/path && ln -sfn "$(CURDIR)" .mypy_cache/path/dryline
	MYPYPATH=.mypy_cache/path $(BIN)/mypy -p dryline
	$(BIN)/lint-imports --no-cache --no-logo

bench: $(VENV)/installed
	$(BIN)/python -m dryline.tools.bench $(ARGS)

# Trains what the built-in model understands by; docs/contributing.md says when.
understanding: $(VENV)/installed
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m dryline.tools.understanding $(ARGS)

size:
	@$(PYTHON) tools/size.py

screenshots: $(VENV)/installed
	$(BIN)/python tools/screenshots.py docs/pictures

# What serving needs is a third of what the tests need.
$(VENV)/serving: pyproject.toml
	$(call set_up,.)
	@touch $@

$(VENV)/installed: pyproject.toml
	$(call set_up,.[dev])
	@touch $(VENV)/serving $@

# The version first: below it, pip would search for hours for packages that fit.
define set_up
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "dryline needs Python 3.11 or newer;\
	 $(PYTHON) is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.13 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '$(1)'
endef
