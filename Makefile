# The house in one place: `make run` and `make test` are all that is needed; both set up what they need.

PYTHON ?= python3
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# A start without compiled files takes seconds longer.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test lint check format bench conformance soak town fuzz mutants lock docs migration
.DEFAULT_GOAL := help

help:
	@echo "make run        serve on http://localhost:8000 from ./data"
	@echo "make test       run every test"
	@echo "make check      format, lint, types, and every test (what is run on each change)"
	@echo "make format     write the code as the house writes it"
	@echo "make town       meet real servers of other kinds on this machine"
	@echo "make bench      measure, against other queues too (within half an hour)"
	@echo "make conformance  have programs that others wrote judge a served instance"
	@echo "make soak       measure what takes hours"
	@echo "make fuzz       look for inputs that nobody thought of, until interrupted or FUZZ_SECONDS are over"
	@echo "make mutants    see whether a test fails for each small fault that is put into what guards the house"
	@echo "make docs       write docs/reference/settings.md and commands.md from the code"
	@echo "make migration  draft a migration from the tables: make migration NAME=what_changes"
	@echo "make lock       write requirements.lock from pyproject.toml"

# Made again when a dependency changed, and only then.
.venv/made: requirements.lock pyproject.toml
	@for python in $(PYTHON) python3.14 python3.13 python3.12 python3.11 none; do \
	  if [ $$python = none ]; then \
	    echo "PrivaPub needs Python 3.11 or newer. Name yours: make PYTHON=/path/to/python3 run" >&2; exit 1; fi; \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then break; fi; done; \
	$$python -m venv .venv || { echo "Python's venv is missing (Debian: apt install python3-venv)." >&2; exit 1; }
	@awk '/^[^ #]/ { uv = /^uv==/ } uv' requirements.lock > .venv/uv.txt
	.venv/bin/python -m pip install --quiet --require-hashes --no-deps -r .venv/uv.txt
	.venv/bin/uv pip sync --quiet --compile-bytecode --python .venv/bin/python --require-hashes requirements.lock
	.venv/bin/uv pip install --quiet --python .venv/bin/python --offline --no-deps --no-build-isolation --editable .
	@touch $@

run: .venv/made
	@exec .venv/bin/privapub serve

# Some of them: make test ARGS="-k inbox"
test: .venv/made
	.venv/bin/python -m pytest --numprocesses auto --dist worksteal $(ARGS)

lint: .venv/made
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy

check: lint test

format: .venv/made
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

# The other queues that `bench` compares with. One of them needs Python 3.12: make BENCH_PYTHON=python3.12 bench
BENCH_PYTHON ?= .venv/bin/python
.venv-bench/made: bench/requirements.lock | .venv/made
	.venv/bin/uv venv --quiet --clear --python $(BENCH_PYTHON) .venv-bench
	.venv/bin/uv pip sync --quiet --python .venv-bench/bin/python --require-hashes bench/requirements.lock
	@touch $@

# One of the groups: make bench ARGS="--only jobs"
bench: .venv/made .venv-bench/made
	.venv/bin/python bench/run.py $(ARGS)

soak: .venv/made
	.venv/bin/python bench/soak.py $(ARGS)

town: .venv/made
	.venv/bin/python town/run.py $(ARGS)

# Programs that others wrote for such servers, and the tests that one of them brings in its source package.
.venv-conformance/made: conformance/requirements.lock | .venv/made
	.venv/bin/uv venv --quiet --clear --python .venv/bin/python .venv-conformance
	.venv/bin/uv pip sync --quiet --compile-bytecode --python .venv-conformance/bin/python --require-hashes conformance/requirements.lock
	@awk '/^[^ #]/ { toot = /^toot==/ } toot' conformance/requirements.lock > .venv-conformance/toot.txt
	.venv-conformance/bin/python -m pip download --quiet --require-hashes --no-deps --no-build-isolation --no-binary toot \
	  --dest .venv-conformance/sources -r .venv-conformance/toot.txt
	mkdir .venv-conformance/toot
	tar -xzf .venv-conformance/sources/toot-*.tar.gz -C .venv-conformance/toot --strip-components 1
	@touch $@

# One of the judges, or one database: make conformance ARGS="--only toot --database sqlite"
conformance: .venv/made .venv-conformance/made
	PYTHONPATH=town .venv/bin/python conformance/run.py $(ARGS)

# What looks for faults outside the ordinary tests: with the versions of the tests, in an environment of its own.
.venv-hunt/made: house/requirements.lock | .venv/made
	.venv/bin/uv venv --quiet --clear --python .venv/bin/python .venv-hunt
	.venv/bin/uv pip sync --quiet --python .venv-hunt/bin/python --require-hashes house/requirements.lock
	.venv/bin/uv pip install --quiet --python .venv-hunt/bin/python --offline --no-deps --no-build-isolation --editable .
	@touch $@

# Some of the targets: make fuzz ARGS="test_html test_addresses"
FUZZ_SECONDS ?= 0
fuzz: .venv-hunt/made
	.venv-hunt/bin/python house/fuzz_targets.py --seconds $(FUZZ_SECONDS) $(ARGS)

# Some of the modules: make mutants ARGS="outbound/address posts/audience"
mutants: .venv-hunt/made
	.venv-hunt/bin/python house/count_mutants.py $(ARGS)

docs: .venv/made
	.venv/bin/python house/write_reference.py

migration: .venv/made
	.venv/bin/python house/draft_migration.py $(NAME)

lock:
	.venv/bin/uv lock --quiet
	.venv/bin/uv export --quiet --format requirements.txt --no-emit-project --all-groups --no-group bench --no-group conformance --no-group hunt --no-header -o requirements.lock
	.venv/bin/uv export --quiet --format requirements.txt --no-emit-project --only-group bench --no-header -o bench/requirements.lock
	.venv/bin/uv export --quiet --format requirements.txt --no-emit-project --only-group conformance --no-header -o conformance/requirements.lock
	.venv/bin/uv export --quiet --format requirements.txt --no-emit-project --all-groups --no-group bench --no-group conformance --no-header -o house/requirements.lock
	rm uv.lock
