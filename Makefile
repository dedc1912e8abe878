# Two commands need no preparation: `make demo` and `make test`. They make .venv from pinned, hashed packages on first use.

PYTHON ?=
BIN := .venv/bin

# Compiled modules are kept: many tests start the command line, and each start would compile it anew.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test quick soak lint fix types docs bench lock clean

demo: .venv/run.done
	$(BIN)/satchel demo

test: lint types
	$(BIN)/python -m pytest -m "not soak" -n 2 --dist loadfile

quick: .venv/dev.done
	$(BIN)/python -m pytest -m "not slow and not soak" -n 2 --dist loadfile

soak: .venv/dev.done
	$(BIN)/python -m pytest -m soak --timeout 7200

lint: .venv/dev.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

fix: .venv/dev.done
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: .venv/dev.done
	$(BIN)/mypy

docs: .venv/dev.done
	$(BIN)/python scripts/generate.py

bench: .venv/dev.done
	$(BIN)/python -m benchmarks

# Pins every package by hash, for every platform, without addresses. Needs uv.
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade \
	    --all-extras --group dev pyproject.toml --output-file requirements/dev.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    --extra server --extra mcp --extra zstd --group build --constraint requirements/dev.txt pyproject.toml --output-file requirements/run.txt

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.venv/pip.done:
	bash scripts/venv.sh "$(PYTHON)"
	touch .venv/pip.done

.venv/run.done: .venv/pip.done requirements/run.txt pyproject.toml
	bash scripts/install.sh requirements/run.txt
	touch .venv/run.done

.venv/dev.done: .venv/pip.done requirements/dev.txt pyproject.toml
	bash scripts/install.sh requirements/dev.txt
	touch .venv/run.done .venv/dev.done
