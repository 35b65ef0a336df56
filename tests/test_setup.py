# SPDX-License-Identifier: Apache-2.0
"""`make setup` where it cannot work: it says what to do, and its exit status is that of what failed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXPLAINED, VENV = ROOT / "tools" / "explained.sh", ROOT / "tools" / "venv.sh"
# As pip 25, uv 0.9 to 0.13 and Python's venv write them.
TLS = "The certificate of the package index is not trusted"
FOLDER = "A file or a folder cannot be written"
NETWORK = "The package index does not answer"
SPACE = "There is no space left"
CAUSES = [
    ("  cause: invalid peer certificate: UnknownIssuer", TLS),
    (
        "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify",
        TLS,
    ),
    ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate in", TLS),
    ("Error: [Errno 13] Permission denied: '/opt/pwscup/.venv'", FOLDER),
    ("error: failed to create directory `/x/.venv`: Read-only file system (os error 30)", FOLDER),
    ("OSError: [Errno 28] No space left on device", SPACE),
    (
        "error: Failed to fetch: https://x/simple/\n  cause: dns error: failed to lookup address",
        NETWORK,
    ),
    ("WARNING: Retrying: ProxyError('Cannot connect to proxy.', OSError('Tunnel: 407", NETWORK),
    ("ERROR: No matching distribution found for uv>=0.9", NETWORK),
]


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", *map(str, words)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(("said", "explanation"), CAUSES)
def test_what_failed_is_shown_and_explained(said, explanation, tmp_path):
    (tmp_path / "said").write_text(said, encoding="utf-8")
    failing = program(tmp_path / "failing", f"cat {tmp_path}/said >&2; exit 3")
    found = run(EXPLAINED, failing)
    assert found.returncode == 3
    assert found.stderr.startswith(said)
    others = {TLS, FOLDER, NETWORK, SPACE} - {explanation}
    assert explanation in found.stderr
    assert not [other for other in others if other in found.stderr]


def test_a_proxy_that_inspects_tls_is_answered_by_its_certificate(tmp_path):
    failing = program(
        tmp_path / "failing", "echo invalid peer certificate: UnknownIssuer >&2; exit 2"
    )
    found = run(EXPLAINED, failing)
    for step in ("export SSL_CERT_FILE=", "PIP_CERT=", "UV_SYSTEM_CERTS=true", "Do not switch"):
        assert step in found.stderr


def test_other_failures_and_successes_are_left_as_they_are(tmp_path):
    other = program(tmp_path / "other", "echo 'error: hash mismatch' >&2; exit 7")
    found = run(EXPLAINED, other)
    assert (found.returncode, found.stderr) == (7, "error: hash mismatch\n")
    fine = program(tmp_path / "fine", "echo done; echo 'warning: Permission denied' >&2")
    found = run(EXPLAINED, fine)
    assert (found.returncode, found.stdout) == (0, "done\n")
    assert found.stderr == "warning: Permission denied\n"


def test_a_folder_for_temporary_files_that_is_not_there(tmp_path):
    found = run(EXPLAINED, "true", TMPDIR=str(tmp_path / "none"))
    assert found.returncode == 1
    assert "set TMPDIR to a folder that you may write" in found.stderr


# The environment


def fake_python(folder: Path, *, venv: str = "", ensurepip: str = "exit 0", pip: str = "") -> Path:
    """A Python that makes environments as it is given, and is the real one otherwise."""
    inner = program(folder / "inner", pip or "exit 0")
    make = venv or f'mkdir -p "$3/bin" && cp {inner} "$3/bin/python"'
    return program(
        folder / "python",
        f'case "$1 $2" in\n"-m venv") {make} ;;\n"-c import ensurepip, venv") {ensurepip} ;;\n'
        f'*) exec {sys.executable} "$@" ;;\nesac',
    )


def test_an_environment_is_made(tmp_path):
    found = run(VENV, fake_python(tmp_path), tmp_path / "venv")
    assert (found.returncode, found.stderr) == (0, "")
    assert (tmp_path / "venv" / ".uv").is_file()


def test_an_unwritable_folder_is_explained(tmp_path):
    python = fake_python(
        tmp_path, venv="echo \"Error: [Errno 13] Permission denied: '$3'\" >&2; exit 1"
    )
    found = run(VENV, python, tmp_path / "venv")
    assert found.returncode == 1
    assert str(tmp_path / "venv") in found.stderr
    assert "copy it into a folder of your own" in found.stderr
    assert "python3-venv" not in found.stderr
    assert not (tmp_path / "venv" / ".uv").exists()


def test_a_python_without_venv_is_explained(tmp_path):
    found = run(VENV, fake_python(tmp_path, ensurepip="exit 1"), tmp_path / "venv")
    assert found.returncode == 1
    assert "apt-get install python3-venv" in found.stderr


def test_an_index_whose_certificate_is_not_trusted_is_explained(tmp_path):
    pip = "echo '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed' >&2; exit 1"
    found = run(VENV, fake_python(tmp_path, pip=pip), tmp_path / "venv")
    assert found.returncode == 1
    assert TLS in found.stderr
    assert not (tmp_path / "venv" / ".uv").exists()


def test_a_missing_python_is_named(tmp_path):
    found = run(VENV, "python9.9", tmp_path / "venv")
    assert found.returncode == 1
    assert "make PYTHON=python3.12 run" in found.stderr


def test_make_explains_each_installation():
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    installing = [line for line in lines if "uv pip sync" in line or "uv pip install" in line]
    assert len(installing) > 2
    assert [line for line in installing if "tools/explained.sh" not in line] == []


# The audit of what is pinned

AUDITED = {
    "unknown": '{"dependencies": [{"name": "numpy", "skip_reason": "not found"}]}',
    "clean": '{"dependencies": [{"name": "numpy", "version": "2.4", "vulns": []}]}',
    "found": '{"dependencies": [{"name": "numpy", "version": "2.4", "vulns": '
    '[{"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["2.5"]}]}]}',
    "partly": '{"dependencies": [{"name": "numpy", "version": "2.4", "vulns": []}, '
    '{"name": "ours", "skip_reason": "not found"}]}',
    "broken": "Traceback",
}


@pytest.mark.parametrize(
    ("answers", "status", "said"),
    [
        (("clean", "broken"), 0, "1 packages checked with https://pypi.org: 0 advisories."),
        (("found", "broken"), 1, "numpy 2.4: PYSEC-1, CVE-1 (repaired in: 2.5)"),
        (("partly", "broken"), 3, "Not checked, as https://pypi.org does not know them: ours"),
        (("unknown", "clean"), 0, "1 packages checked with https://api.osv.dev: 0 advisories."),
        (("unknown", "broken"), 3, "Nothing was checked: no source of advisories answers"),
    ],
)
def test_an_audit_succeeds_only_if_all_was_checked(tmp_path, answers, status, said):
    lock = tmp_path / "requirements.txt"
    lock.write_text("numpy==2.4\n")
    of_pypi, of_osv = (AUDITED[answer] for answer in answers)
    text = f"case \"$*\" in *'service pypi'*) echo '{of_pypi}' ;; *) echo '{of_osv}' ;; esac"
    pip_audit = program(tmp_path / "pip-audit", text)
    command = [sys.executable, ROOT / "tools" / "audit.py", pip_audit, lock]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said in done.stdout
    assert done.returncode == status
