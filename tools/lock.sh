#!/bin/sh
# One universal resolution for Python 3.11 to 3.14, with hashes: the test lock is the whole, the others are subsets of it;
# those of the documentation and of the audit are for environments of their own.
set -eu
uv=$1
flags="--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet"
$uv pip compile $flags --extra web --extra distributed --extra cups --extra test pyproject.toml -o requirements-test.txt
$uv pip compile $flags --extra web --extra distributed --extra cups -c requirements-test.txt pyproject.toml -o requirements-distributed.txt
$uv pip compile $flags --extra web --extra cups -c requirements-test.txt pyproject.toml -o requirements.txt
$uv pip compile $flags --group docs pyproject.toml -o requirements-docs.txt
$uv pip compile $flags --group audit pyproject.toml -o requirements-audit.txt
