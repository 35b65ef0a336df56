#!/bin/sh
# Makes the virtual environment and puts uv into it; says what to install or to change where that is not possible.
set -eu
python=$1
venv=$2
explained="sh $(dirname "$0")/explained.sh"
if ! command -v "$python" >/dev/null; then
    echo "There is no $python here. PWSCup needs Python 3.11 to 3.14; name one: make PYTHON=python3.12 run" >&2
    exit 1
fi
"$python" - <<'PY' || exit 1
import sys
if not (3, 11) <= sys.version_info[:2] <= (3, 14):
    sys.exit(
        f"PWSCup needs Python 3.11 to 3.14; {sys.executable} is {sys.version.split()[0]}.\n"
        "Name another one: make PYTHON=python3.12 run"
    )
PY
if ! "$python" -c "import ensurepip, venv" 2>/dev/null; then
    echo "$python cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv" >&2
    exit 1
fi
$explained "$python" -m venv "$venv"
$explained "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "uv>=0.9"
touch "$venv/.uv"
