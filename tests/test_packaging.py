# SPDX-License-Identifier: Apache-2.0
"""The distribution `pwscup`: what its wheel carries, and that it works where nothing else is installed."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.request
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import pwscup
import scoring
from pwscup import __main__ as command
from pwscup.core.installation import wheel
from scoring.cli import main as cli

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).parent / "uv"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FRAMEWORKS = ("django", "celery", "matplotlib")


def done(*command: str | Path, **options: object) -> str:
    """The output of a command that must succeed."""
    found = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )
    assert found.returncode == 0, f"{command}\n{found.stdout}\n{found.stderr}"
    return found.stdout


# One version, one name


def test_there_is_one_version():
    assert pwscup.__version__ == scoring.__version__
    assert PROJECT["name"] == scoring.DISTRIBUTION
    assert PROJECT["dynamic"] == ["version"]


def test_the_metadata_of_the_offered_library_are_those_of_the_project():
    with zipfile.ZipFile(io.BytesIO(wheel.content())) as archive:
        folder = f"{wheel.distribution()}.dist-info"
        metadata = HeaderParser().parsestr(archive.read(f"{folder}/METADATA").decode())
        scripts = archive.read(f"{folder}/entry_points.txt").decode()
    assert metadata.get_all("Classifier") == PROJECT["classifiers"]
    assert metadata["Keywords"].split(",") == PROJECT["keywords"]
    assert metadata["Author"] == PROJECT["authors"][0]["name"]
    assert len(metadata.get_all("Project-URL")) == len(PROJECT["urls"])
    commands = ["pwscup = pwscup.__main__:main", "pwscup-scoring = scoring.__main__:run"]
    assert scripts.splitlines() == ["[console_scripts]", *commands]


def test_the_command_says_its_version(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["pwscup", "--version"])
    command.main()
    assert capsys.readouterr().out == f"pwscup {scoring.__version__}\n"


def test_the_command_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["pwscup", "up"])
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "celery" else name)
    with pytest.raises(SystemExit, match=re.escape('pip install "pwscup[web]"')):
        command.main()


def test_pictures_say_what_is_missing(monkeypatch):
    table, schema = scoring.generate("households", 200, seed=1)
    found = scoring.compare(table, {"same": table.copy()}, schema, utility="U1", risk="S1")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=re.escape('pip install "pwscup[plots]"')):
        found.plot()
    assert "<table" in found._repr_html_()
    assert "pwscup[plots]" in found._repr_html_()


@pytest.mark.parametrize(
    "line",
    [
        "study pwscup2015 --quick --out F",
        "audit --original X.csv --anonymized Y.csv --report A.html",
        "sequential audit --schema S.toml --tables T.csv --series S.zip --out A.html",
        "sequential risk --schema S.toml --tables T.csv --releases R.csv --pictures P",
        "dp experiment --out F",
    ],
)
def test_commands_say_before_they_compute_what_their_pictures_need(line, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert cli.main(line.split()) == cli.WRONG_USE
    assert 'pip install "pwscup[plots]"' in capsys.readouterr().err


# Another project has the name `scoring` on the package index


@pytest.mark.parametrize(
    "information", ["scoring-0.0.9.dist-info", "scoring-0.0.9-py3.11.egg-info"]
)
def test_files_of_the_other_project_are_noticed(information, tmp_path):
    shutil.copytree(ROOT / "scoring", tmp_path / "scoring", ignore=shutil.ignore_patterns("data"))
    run = [sys.executable, "-c", "import scoring; print(scoring.__version__)"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    assert done(*run, cwd=tmp_path, env=environment).strip() == scoring.__version__
    (tmp_path / information).mkdir()
    found = subprocess.run(
        run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert f"another project that is called scoring ({information})" in found.stderr
    assert "pip uninstall --yes scoring pwscup" in found.stderr


@pytest.mark.parametrize("name", ["pwscup", "scoring"])
def test_the_commands_notice_the_other_project(name, tmp_path):
    """Its `__init__` has been written over ours, or is found first."""
    for package in ("scoring", "pwscup"):
        ignored = shutil.ignore_patterns("data", "migrations", "__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    (tmp_path / "scoring" / "__init__.py").write_text("version = '0.0.9'\n", encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-m", name, "--version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1
    assert "belongs to another project that is called scoring" in found.stderr


# Built and installed


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of wheel and source archive, as `make dist` writes them."""
    folder = tmp_path_factory.mktemp("dist")
    done(UV, "build", "--quiet", "--out-dir", folder, cwd=ROOT)
    return folder


def installed(folder: Path, built: Path, extra: str = "") -> Path:
    """A new environment with the wheel, in the locked versions; the folder of its programs."""
    [path] = built.glob("*.whl")
    done(UV, "venv", "--quiet", "--python", sys.executable, folder / "venv")
    named = f"pwscup{extra} @ {path.as_uri()}"
    python = folder / "venv" / "bin" / "python"
    constraints = ("--constraint", ROOT / "requirements.txt")
    done(UV, "pip", "install", "--quiet", "--python", python, *constraints, named, cwd=folder)
    return python.parent


def environment(folder: Path) -> dict[str, str]:
    """No setting of this process, and everything that is kept in the folder."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(folder), "NUMBA_CACHE_DIR": str(folder / "kernels")}


@pytest.mark.long
@pytest.mark.timeout(600)
def test_wheel_and_source_archive_are_complete(built):
    [path], [source] = built.glob("*.whl"), built.glob("*.tar.gz")
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        [folder] = {name.split("/")[0] for name in names if ".dist-info/" in name}
        metadata = HeaderParser().parsestr(archive.read(f"{folder}/METADATA").decode())
        scripts = archive.read(f"{folder}/entry_points.txt").decode()
    tracked = done(
        "git",
        "ls-files",
        "scoring",
        "pwscup",
        "templates",
        "static",
        "docs",
        "mkdocs.yml",
        cwd=ROOT,
    )
    expected = {
        name if name.startswith(("scoring/", "pwscup/")) else f"pwscup/bundled/{name}"
        for name in tracked.splitlines()
    }
    assert expected - names == set()
    assert "pwscup/bundled/locale/ja/LC_MESSAGES/django.mo" in names
    assert not [n for n in names if "__pycache__" in n or n.startswith(("tests/", "tools/"))]
    assert metadata["Version"] == scoring.__version__
    assert metadata.get_all("Classifier") == PROJECT["classifiers"]
    assert {"web", "plots", "distributed", "cups"} <= set(metadata.get_all("Provides-Extra"))
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert not [line for line in needed if line.lower().startswith(FRAMEWORKS)]
    assert {"pwscup", "pwscup-scoring"} == set(re.findall(r"^([\w-]+) =", scripts, re.MULTILINE))
    with tarfile.open(source) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"manage.py", "Makefile", "tests/conftest.py", "docs/README.md"} <= held
    assert {"locale/ja/LC_MESSAGES/django.po", "templates/base.html", "setup.py"} <= held


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_library_scores_where_nothing_else_is_installed(built, tmp_path):
    programs = installed(tmp_path, built)
    own = {"cwd": tmp_path, "env": environment(tmp_path)}
    run = programs / "pwscup-scoring"
    listed = done(UV, "pip", "list", "--format", "json", "--python", programs / "python")
    names = {package["name"] for package in json.loads(listed)}
    assert names.isdisjoint(FRAMEWORKS)
    drawn = ("--records", "50", "--seed", "1", "--out", "X.csv", "--schema-out", "S.toml")
    done(run, "generate", "households", *drawn, **own)
    files = ("--schema", "S.toml", "--original", "X.csv")
    made = ("--set", "k=3", "--seed", str(2**70), "--out", "Y.csv", "--rows", "R.csv")
    done(run, "anonymize", "mondrian", *files, *made, **own)
    scored = done(run, "score", *files, "--anonymized", "Y.csv", "--rows", "R.csv", "--json", **own)
    program = (
        "import scoring; x = scoring.read('X.csv', 'S.toml')\n"
        "y = scoring.read('Y.csv', 'S.toml', rows='R.csv')\n"
        "print(scoring.score(x, y, 'S.toml')['S1'])"
    )
    found = done(programs / "python", "-c", program, **own)
    assert int(found) == json.loads(scored)["S1"] >= 3
    refused = subprocess.run(
        [programs / "pwscup", "up"], capture_output=True, text=True, check=False, **own
    )
    assert (refused.returncode, refused.stdout) == (1, "")
    assert 'pip install "pwscup[web]"' in refused.stderr


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_platform_answers_pages_where_it_is_installed(built, tmp_path):
    programs = installed(tmp_path, built, "[web]")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    log = (tmp_path / "log").open("w")
    site = subprocess.Popen(
        [programs / "pwscup", "up", "--no-demo", "--address", address],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=log,
        stderr=log,
    )
    try:
        page = answered(f"http://{address}/", site, tmp_path / "log").decode()
        japanese = answered(f"http://{address}/", site, tmp_path / "log", language="ja").decode()
        assert ">Anonymize, attack, compare</h1>" in page
        assert ">匿名加工と再識別のコンテスト</h1>" in japanese
        helped = answered(f"http://{address}/help/how-to/install/", site, tmp_path / "log")
        assert b"WSL" in helped
        [style, *_] = re.findall(r'href="(/static/[^"]+\.css)"', page)
        assert len(answered(f"http://{address}{style}", site, tmp_path / "log")) > 1_000
        data = tmp_path / ".local" / "share" / "pwscup"
        assert (data / "data" / "pwscup.sqlite3").is_file()
        assert (data / "staticfiles").is_dir()
    finally:
        site.send_signal(signal.SIGINT)
        site.wait(60)
        log.close()
    offered = done(
        programs / "pwscup", "wheel", "--out", "dist", cwd=tmp_path, env=environment(tmp_path)
    )
    assert "pwscup-" in offered
    assert (tmp_path / "dist" / wheel.file_name()).read_bytes() == wheel.content()


def answered(address: str, site: subprocess.Popen, log: Path, language: str = "en") -> bytes:
    """The body of a page, once the site is up."""
    deadline = time.monotonic() + 240
    while True:
        try:
            request = urllib.request.Request(address, headers={"Accept-Language": language})
            with urllib.request.urlopen(request, timeout=30) as response:
                body: bytes = response.read()
                return body
        except OSError:
            assert site.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.5)
