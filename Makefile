# Two commands do everything: `make run` and `make test`. Both prepare the environment themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_FLAGS := --quiet --require-hashes
# The first holds all that the platform needs.
LOCKS := requirements-test.txt requirements-docs.txt requirements-audit.txt
ADDRESS ?= 127.0.0.1:8000
# Some machines forbid Python to keep compiled modules: each of our many processes would then take seconds more to start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test test-scoring test-long coverage audit setup lock lint types contracts docs wheel dist messages bench bench-pycanon load chaos image-test clean
.DEFAULT_GOAL := run

run: $(VENV)/.runtime  ## web server, worker and broker at http://127.0.0.1:8000
	@$(BIN)/python manage.py up --address $(ADDRESS)

setup: $(VENV)/.runtime  ## the environment only
	@echo "The environment is ready. Switch it on: . $(BIN)/activate"

test: $(VENV)/.test  ## all that protects a change, including a real Chromium
	@$(BIN)/python -m pytest -n auto --dist loadgroup $(ARGS)

test-scoring: $(VENV)/.test  ## the library's tests only
	@$(BIN)/python -m pytest -n auto --dist loadgroup tests/scoring $(ARGS)

test-long: $(VENV)/.test  ## more of the same that no change needs each time: more seeds and examples, and every page in Chromium
	@$(BIN)/python -m pytest -n auto --dist loadgroup -m "long or hypothesis" --hypothesis-profile many $(ARGS)

coverage: $(VENV)/.test  ## which lines and branches the tests run: coverage-report/report.txt and coverage-report/html; takes half as long again
	@rm -rf coverage-report
	@$(BIN)/coverage run -m pytest -n auto --dist loadgroup --timeout 1200 $(ARGS)
	@$(BIN)/coverage combine --quiet && $(BIN)/coverage html --quiet && $(BIN)/coverage report --sort=cover > coverage-report/report.txt
	@tail -n 1 coverage-report/report.txt

lint: $(VENV)/.test  ## style and likely mistakes
	@$(BIN)/ruff check . && $(BIN)/ruff check --preview --select CPY001 . && $(BIN)/ruff format --check .

types: $(VENV)/.test  ## types of the library, and of the platform with what its plugin knows of Django
	@$(BIN)/mypy
	@$(BIN)/mypy --config-file tools/platform.mypy.ini

contracts: $(VENV)/.test  ## who may import whom
	@$(BIN)/lint-imports

docs: $(VENV)-docs/.done  ## the documentation as a site, in site/; broken links are errors
	@NO_MKDOCS_2_WARNING=1 $(VENV)-docs/bin/mkdocs build --quiet --config-file mkdocs.yml && echo "The site is ready: site/index.html"

audit: $(VENV)-audit/.done  ## known vulnerabilities of what the lock files pin; status 3, with a message, where no source of advisories answers
	@$(BIN)/python tools/audit.py $(VENV)-audit/bin/pip-audit $(LOCKS)

lock: $(VENV)/.uv  ## write the five lock files again from pyproject.toml
	@sh tools/lock.sh $(BIN)/uv

bench: $(VENV)/.test  ## what scoring costs, compared with other libraries: a table and a plot
	@$(BIN)/python -m benchmarks $(ARGS)

bench-pycanon: $(VENV)/.uv  ## an environment of its own for pyCANON, which wants older libraries; `make bench` then measures it too
	@$(BIN)/uv venv --quiet --python $(BIN)/python --allow-existing $(VENV)-pycanon
	@sh tools/explained.sh $(BIN)/uv pip install --quiet --python $(VENV)-pycanon/bin/python pycanon==1.3.6

load: $(VENV)/.test  ## a bounded load on a real installation in both modes; ARGS="burst polls" chooses scenarios
	@$(BIN)/python -m benchmarks.reliability.load $(ARGS)

chaos: $(VENV)/.test  ## 1,000 submissions under faults in both modes; ARGS="worker disk --submissions 100" chooses
	@$(BIN)/python -m benchmarks.reliability.chaos $(ARGS)

image-test: $(VENV)/.test  ## build the container image for real and let it score (root on Debian; some minutes)
	@$(BIN)/python -m tools.image_test

wheel: $(VENV)/.runtime  ## the library as a file for pip, without the platform, in dist/
	@$(BIN)/python manage.py wheel

dist: $(VENV)/.uv  ## library and platform as wheel and source archive for pip, in dist/
	@$(BIN)/uv build --quiet --out-dir dist

messages: $(VENV)/.test  ## collect translatable texts into locale/
	@$(BIN)/python manage.py makemessages --locale ja --ignore .venv --ignore tests --no-location --no-obsolete

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1  /p' $(MAKEFILE_LIST)

clean:  ## remove the environment; the data stays
	rm -rf $(VENV) $(VENV)-docs $(VENV)-audit site staticfiles

$(VENV)/.uv:
	@sh tools/venv.sh $(PYTHON) $(VENV)

$(VENV)/.runtime: requirements.txt $(VENV)/.uv
	@if [ ! -e $(VENV)/.test ]; then sh tools/explained.sh $(BIN)/uv pip sync $(UV_FLAGS) --python $(BIN)/python requirements.txt; fi
	@touch $@

$(VENV)-%/.done: requirements-%.txt $(VENV)/.uv  # an environment of its own, for the site and for the audit
	@$(BIN)/uv venv --quiet --python $(BIN)/python --allow-existing $(VENV)-$*
	@sh tools/explained.sh $(BIN)/uv pip sync $(UV_FLAGS) --python $(VENV)-$*/bin/python $<
	@touch $@

$(VENV)/.test: requirements-test.txt $(VENV)/.uv tools/test_tools.sh
	@sh tools/explained.sh $(BIN)/uv pip sync $(UV_FLAGS) --python $(BIN)/python requirements-test.txt
	@sh tools/test_tools.sh $(BIN)/python
	@$(BIN)/python -m tools.compile_kernels
	@touch $@ $(VENV)/.runtime
