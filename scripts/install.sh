#!/usr/bin/env bash
# Installs the pinned, hashed packages of one list, then Satchel itself from this folder with the pinned build backend.
set -euo pipefail

python=.venv/bin/python
echo "installing ${1} into .venv (the first time takes a minute or two)" >&2
"$python" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement "$1"
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
