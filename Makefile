# Each target sets up what it needs. PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SETUP := requirements-dev.txt constraints.txt pyproject.toml $(wildcard plugins/*/pyproject.toml)

.PHONY: demo test lint bench docs paper clean

demo: $(STAMP)
	$(BIN)/python scripts/demo.py

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/python -m benchmarks $(BENCH)

# DATA names a folder of prompts and corpora; without it a small shipped sample stands in.
paper: $(STAMP)
	$(BIN)/python -m scripts.paper $(if $(DATA),--data $(DATA)) $(PAPER)

docs: $(STAMP)
	$(BIN)/python scripts/write_docs.py

clean:
	rm -rf $(VENV)

# The stamp is written last, so that an installation cut short is done again.
$(STAMP): $(SETUP)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt -c constraints.txt
	touch $@
