# From a fresh clone: `make run` serves the site, `make check` and `make test` test it.
# Needs Python 3.11 and make; the tests also use Debian's packages, which tests/machine.sh installs.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
BIN = .venv/bin

.PHONY: run team check test test-deep test-corpora wheel lock vendor audit screenshots

run: .venv/run
	@$(BIN)/python manage.py serve --host $(HOST) --port $(PORT)

# What many machines add: Celery over Redis, PostgreSQL.
team: .venv/run
	@$(BIN)/uv pip install --quiet --require-hashes --python $(BIN)/python -r requirements/team.txt

# Format, lint, types, layers and unit tests, in about a minute.
check: .venv/dev
	@tests/run check

# Everything a contributor needs: also pages, commands, a browser, the runner, SQLite and PostgreSQL.
test: .venv/dev
	@tests/run test

# What takes long: attacks, load and faults, long random draws. With CORPORA=<folder> also what the next target does.
test-deep: .venv/dev
	@TOOLSHELF_CORPORA="$(CORPORA)" tests/run deep

# The tests that read real tool data, on the full corpora instead of the selection in tests/data/corpora.
test-corpora: .venv/dev
	@TOOLSHELF_CORPORA="$(CORPORA)" tests/run corpora

.venv/uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Toolshelf needs Python 3.11 or newer.")'
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

# The package for tools' authors, from this checkout: a change of its code needs no installation, a new version does.
install-sdk = $(BIN)/uv pip install --quiet --no-deps --no-build-isolation --python $(BIN)/python --editable sdk

.venv/run: requirements/base.txt sdk/pyproject.toml .venv/uv
	@test -e .venv/dev || $(BIN)/uv pip install --quiet --require-hashes --python $(BIN)/python -r requirements/base.txt
	@test ! -e .venv/dev || $(BIN)/uv pip install --quiet --require-hashes --python $(BIN)/python -r requirements/dev.txt
	@$(install-sdk)
	@touch $@

.venv/dev: requirements/dev.txt requirements/base.txt sdk/pyproject.toml .venv/uv
	@$(BIN)/uv pip install --quiet --require-hashes --python $(BIN)/python -r requirements/dev.txt
	@$(install-sdk)
	@touch $@ .venv/run

# Pictures of every page and state at four widths and in two themes, in var/screenshots/; ONLY=upload: of some.
screenshots: .venv/dev
	@$(BIN)/python -m tests.browser.screenshots --only "$(ONLY)"

# The wheel of the package for tools' authors, in sdk/dist/: the same bytes that the site serves.
wheel: .venv/run
	@cd sdk && ../$(BIN)/python -m hatchling build --target wheel

# Write the lock files anew from requirements/*.in.
lock: .venv/uv
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 requirements/uv.in -o requirements/uv.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 requirements/base.in -o requirements/base.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 requirements/team.in -o requirements/team.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 requirements/dev.in -o requirements/dev.txt

# Rebuild the front-end files of static/vendor/ from their locked packages.
vendor:
	@npm --prefix frontend ci --ignore-scripts --silent && node frontend/build.mjs

# Look for known vulnerabilities of the locked packages, where the OSV database can be reached.
audit: .venv/uv
	@$(BIN)/python requirements/audit.py
