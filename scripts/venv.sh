#!/usr/bin/env bash
# Makes .venv with the first Python 3.11 or later that works. An argument names the interpreter to use instead.
set -euo pipefail

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

python="${1:-}"
if [ -n "$python" ]; then
  fits "$python" || { echo "$python is not Python 3.11 or later" >&2; exit 1; }
else
  for candidate in python3.11 python3.12 python3.13 python3 python; do
    if fits "$candidate"; then python="$candidate"; break; fi
  done
fi
if [ -z "$python" ]; then
  echo "Satchel needs Python 3.11 or later, and none was found." >&2
  echo "Debian: apt install python3 python3-venv    macOS: brew install python@3.12    or name one: make PYTHON=/path/to/python" >&2
  exit 1
fi
"$python" -c 'import ensurepip' 2>/dev/null || {
  echo "$python cannot make virtual environments. On Debian: apt install python3-venv" >&2
  exit 1
}
rm -rf .venv
"$python" -m venv .venv
