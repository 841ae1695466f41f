# `make demo` on a fresh machine sets up .venv and plays; `make test` is everything that must pass.

VENV := .venv
BIN := $(VENV)/bin
# The demo's own run: one made by this very command is replaced, anything else is left alone.
DEMO_RUN := runs/demo
DEMO := simulate --matches 5_000 --bots greedy --seed 1 --out $(DEMO_RUN)

# `make bench BASELINE=before.json` compares; PEERS are more options of benchmarks/peers.py.
RESULTS := benchmarks/results
BASELINE :=
PEERS :=

# `make notebooks NOTEBOOKS=04_bots SETS=20k` executes one at another size; see analysis/README.md.
NOTEBOOKS :=
RUN :=
SETS :=
SEED :=

.PHONY: demo test lint format bench bench-kernels notebooks clean
.DEFAULT_GOAL := demo
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

demo: $(VENV)/.ready
	@if grep -qsF '"command": "guandan-sim $(DEMO)"' $(DEMO_RUN)/manifest.json; then rm -r $(DEMO_RUN); fi
	@$(BIN)/guandan-sim $(DEMO)
	@$(BIN)/guandan-sim report $(DEMO_RUN) --html $(DEMO_RUN).html > $(DEMO_RUN).txt
	@echo "tables in $(DEMO_RUN).txt, with figures in $(DEMO_RUN).html"

test: lint
	$(BIN)/pytest -q

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.ready-bench
	@mkdir -p $(RESULTS)
	@$(BIN)/guandan-sim bench --json $(RESULTS)/bench.json --markdown $(RESULTS)/bench.md \
	  $(if $(BASELINE),--baseline '$(BASELINE)')
	@$(BIN)/python benchmarks/peers.py --json $(RESULTS)/peers.json --markdown $(RESULTS)/peers.md $(PEERS)
	@$(BIN)/python benchmarks/growth.py --out $(RESULTS)
	@$(MAKE) bench-kernels

bench-kernels: $(VENV)/.ready-bench
	@mkdir -p $(RESULTS)
	@$(BIN)/pytest -q benchmarks/test_kernels.py --benchmark-json=$(RESULTS)/kernels.json \
	  --benchmark-max-time=0.5 --benchmark-min-rounds=25 --benchmark-columns=median,iqr,min,rounds --benchmark-sort=name

notebooks: $(VENV)/.ready-notebooks
	@$(BIN)/python analysis/execute.py $(NOTEBOOKS) $(if $(RUN),--run '$(RUN)') \
	  $(if $(SETS),--sets $(SETS)) $(if $(SEED),--seed $(SEED))

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- Setting up: repeated only when pyproject.toml has changed -----------------------------------

$(VENV)/.ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[report]'
	@touch $@

$(VENV)/.ready-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.ready

$(VENV)/.ready-notebooks: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[notebooks]'
	@touch $@ $(VENV)/.ready

# Where a package has no wheel, the rest is installed without it; the table of peers says what it lacks.
$(VENV)/.ready-bench: pyproject.toml | $(BIN)/python
	@install="$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary open-spiel"; \
	$$install -e '.[bench]' && exit; \
	$$install -e . || exit; \
	for name in matplotlib pytest pytest-benchmark open-spiel rlcard websockets; do \
	  $$install $$name || echo "$$name cannot be installed here: make bench goes on without it" >&2; \
	done
	@touch $@ $(VENV)/.ready

# 3.14 is the newest for which everything needed has wheels. A name on the PATH may not start (pyenv's).
$(BIN)/python:
	@for name in python3.14 python3.13 python3.12 python3.11 python3; do \
	  version=$$($$name -c 'import sys; v = sys.version_info; print("%d.%d" % v[:2] if (3, 11) <= v < (3, 15) else "")' 2>/dev/null); \
	  [ -n "$$version" ] || continue; \
	  found=$${found:-$$version}; \
	  $$name -c 'import ensurepip, venv' 2>/dev/null || continue; \
	  echo "setting up $(VENV) with Python $$version"; \
	  exec $$name -m venv $(VENV); \
	done; \
	if [ -n "$$found" ]; then \
	  echo "error: Python $$found cannot make virtual environments here; install that part of it with:" >&2; \
	  echo "  sudo apt install python$$found-venv" >&2; \
	else \
	  echo "error: no Python from 3.11 to 3.14 was found on the PATH; install one, for example with:" >&2; \
	  echo "  sudo apt install python3 python3-venv" >&2; \
	fi; \
	exit 1
