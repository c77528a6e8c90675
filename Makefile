# Turnledger's tasks.  `make` alone explains them.
# Needed: make and Python 3.11 or newer.  Everything else is installed into .venv from pinned hashes.
# `make demo DEMO=--once` shows the demo in the terminal alone and ends; see `turnledger demo --help`.

# The interpreter for .venv: python3 if it is new enough, else the newest one that is.
PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo "$$candidate" && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# SDKs whose pins exclude others have environments of their own, each with the tests that need nothing else.
APART := apart crewai
APART_TESTS := tests/adapters/apart tests/adapters/test_frameworks.py tests/adapters/test_kills.py \
	tests/adapters/test_openai.py tests/docs
PYTEST := $(BIN)/python -m pytest
WORKERS ?= auto
CONSOLE := src/turnledger/server/_console/index.html
# Only where there is a browser do the tests need the console built.
BROWSER := $(shell for name in "$${TURNLEDGER_CHROMIUM:-chromium}" chromium-browser google-chrome; do \
	command -v "$$name" && break; done)

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast test-pg test-crash test-console $(APART:%=test-%) check format openapi console console-check screenshots bench wheel try-wheel lock clean

help: ## List these tasks
	@echo "make <task>"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' Makefile

setup: $(READY) ## Make .venv with everything pinned (again only when the pins change)

$(READY): requirements/dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Turnledger needs Python 3.11 or newer; none is on the PATH." >&2; exit 1; }
	@echo "Installing what is pinned in requirements/dev.txt into $(VENV) (1.3 GB with every SDK that is tested; some minutes) ..."
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY) ## Record real conversations, prove them, alter one byte, watch agents live in the console
	@$(MAKE) -sq $(CONSOLE) || { echo "Building the console, which takes a minute ..."; \
		$(MAKE) -s $(CONSOLE) > /dev/null || echo "It could not be built; a plain page takes its place." >&2; }
	@$(BIN)/turnledger demo $(DEMO)

test: $(READY) $(if $(BROWSER),$(CONSOLE)) ## The whole test suite, fast tests first, on every engine that is installed
	$(PYTEST) -n $(WORKERS)

test-fast: $(READY) ## What runs in seconds: no server, no browser, no killed processes
	$(PYTEST) -q -n $(WORKERS) -m "not postgres and not slow and not crash and not console"

test-pg: $(READY) ## What concerns PostgreSQL (needs its server binaries)
	$(PYTEST) -n $(WORKERS) --require-postgres -m "postgres and not slow and not crash and not console"

test-crash: $(READY) ## Killed writers, stopped processes, full disks: the slow part
	$(PYTEST) -n $(WORKERS) -m "slow or crash"

test-console: $(READY) $(CONSOLE) ## The console in a browser (needs an installed Chromium)
	$(PYTEST) -n $(WORKERS) tests/console

.venv-%/.ready: requirements/%.txt
	@test -n "$(PYTHON)" || { echo "Turnledger needs Python 3.11 or newer; none is on the PATH." >&2; exit 1; }
	@test -x $(@D)/bin/python || "$(PYTHON)" -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

test-apart: .venv-apart/.ready ## SDKs whose pins exclude others, in an environment of their own (600 MB)
test-crewai: .venv-crewai/.ready ## CrewAI, whose pins exclude those as well, in another one (1 GB)
test-apart: APART_TESTS += tests/adapters/test_google_genai.py
$(APART:%=test-%):
	PYTHONPATH=src $(<D)/bin/python -m pytest -n $(WORKERS) -m "not beside" $(APART_TESTS)

check: $(READY) ## Lint, format, layers, types: everything that needs no run
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/mypy
	$(BIN)/basedpyright

format: $(READY) ## Format, and mend what can be mended mechanically
	$(BIN)/ruff check --quiet --fix-only
	$(BIN)/ruff format

openapi: $(READY) ## Write docs/openapi.json anew after a change of the API
	$(BIN)/python -m turnledger.server.document > docs/openapi.json

console: $(READY) ## Build the console into the package, with the Node that pip installed
	$(BIN)/python hatch_build.py build

$(CONSOLE): $(shell find console/src console/public -type f) console/index.html console/package-lock.json | $(READY)
	$(BIN)/python hatch_build.py build

console-check: $(READY) ## The console's types, lint and tests, and whether its types are those of the API
	$(BIN)/python hatch_build.py npm ci
	$(BIN)/python hatch_build.py npm run check

screenshots: console ## Take the pictures in docs/screenshots anew, of the demo, in the installed Chromium
	PYTHONPATH=. $(BIN)/python docs/screenshots/take.py

bench: $(READY) ## Measure; results go into bench/RESULTS.md
	$(BIN)/python -m bench

wheel: $(READY) ## Build wheel and source distribution into dist/
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist > /dev/null
	@ls -l dist

try-wheel: wheel ## Install the wheel as a user would, in a clean environment, and use it
	sh .ci/try-wheel "$(BIN)/python"

lock: $(READY) ## Resolve the pins anew after a change in pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --upgrade pyproject.toml -o requirements/base.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --upgrade pyproject.toml --all-extras --group dev -o requirements/dev.txt
	for group in $(APART); do \
		$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
			--no-emit-index-url --upgrade pyproject.toml --extra gateway --extra postgres --extra server \
			--group $$group -o requirements/$$group.txt || exit; \
	done

clean: ## Remove what can be made again
	rm -rf $(VENV) $(APART:%=.venv-%) dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .demo
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
