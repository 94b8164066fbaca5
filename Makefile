# `make test` and `make demo` need only Python 3.11 or newer (or uv): the environment in .venv is made on first use.

VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
# How many processes run tests side by side; 0 is this one alone.
WORKERS ?= auto
# The programs of the environment (chainc, the examples' tool servers) are found by name.
RUN := PATH="$(CURDIR)/$(VENV)/bin:$$PATH"

.PHONY: help setup demo test lint fmt bless bench fuzz mutation graphs tools kills discovery lock clean

help:
	@echo "make demo   compile an example, start its server and call it"
	@echo "make test   run all tests"
	@echo "make lint   ruff, formatting, mypy"
	@echo "make fmt    format and repair what ruff can"
	@echo "make bless  accept the present output as the expected one (look at the difference before you commit)"
	@echo "make bench  measure: lines a second beside lark, CPU of a cold command, a chain beside code by hand, a large download"
	@echo "make fuzz   random inputs through the whole compiler; make mutation, make graphs: what the checker lets through"
	@echo "make tools  real tools: how each is imported, and what the checker says of arguments that do not fit"
	@echo "make kills  kills processes at random moments: no side effect twice, none lost without a word"
	@echo "make discovery  how well find_tools finds what people ask for"
	@echo "make lock   pin the newest versions that requirements.in allows (needs uv)"
	@echo "make clean  remove the environment and all caches"
	@echo "PYTHON=...  chooses the Python that .venv is made from"

setup: $(READY)

$(READY): requirements.lock pyproject.toml .ci/setup
	@PYTHON="$(PYTHON)" sh .ci/setup $(VENV)
	@touch $@

demo: $(READY)
	@$(RUN) $(PY) examples/demo.py

test: $(READY)
	@$(RUN) $(PY) -m pytest -n $(WORKERS) --dist loadfile $(ARGS)

lint: $(READY)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

fmt: $(READY)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bless: $(READY)
	@$(RUN) $(PY) -m pytest --bless $(ARGS)

bench: $(READY)
	@$(PY) -m tests.bench.parse
	@echo
	@$(PY) -m tests.bench.cold
	@echo
	@$(PY) -m tests.bench.overhead
	@echo
	@$(PY) -m tests.bench.stream

# ARGS="--count 5000 --seed 7" and the like are handed on.
fuzz mutation graphs tools kills discovery: $(READY)
	@$(PY) -m tests.$@ $(ARGS)

lock:
	uv pip compile requirements.in --generate-hashes --universal --python-version 3.11 --no-header --no-annotate --upgrade --quiet -o requirements.lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
