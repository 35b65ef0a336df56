# SPDX-License-Identifier: Apache-2.0
"""What students install and run at home: the wheel, and the notebook from their table to attack files."""

from __future__ import annotations

import io
import json
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse

from pwscup.contests.models import Contest
from pwscup.core.installation import wheel
from pwscup.submissions import draws
from pwscup.submissions.models import Evaluation, Submission
from tests.web import lecture, pipeline
from tests.web.pipeline import round_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def played(cast):
    return lecture.contest_of(cast)


def fetched(client, url) -> tuple[str, bytes]:
    """The name and the bytes of a download."""
    response = client.get(url)
    assert response.status_code == 200, url
    name = response["Content-Disposition"].partition("filename=")[2].strip('"')
    return name, b"".join(response) if response.streaming else response.content


def cells_of(content: bytes) -> list[dict]:
    found = json.loads(content)
    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"])
    return found["cells"]


def run(content: bytes, folder: Path, monkeypatch) -> dict:
    """All code of a notebook, as its kernel would run it in this folder."""
    monkeypatch.chdir(folder)
    names: dict = {}
    for cell in cells_of(content):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    return names


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_notebook_leads_from_the_table_to_attack_files(
    cast, played, client, tmp_path, monkeypatch, language
):
    slug = played.contest.slug
    client.force_login(cast.alice)
    draws.ensure_drawn(played.blue)
    notebook = reverse("notebook", args=[slug]) + f"?language={language}"
    own = reverse("team-data", args=[slug, "red", "original.csv"])
    for url in (own, reverse("schema", args=[slug]), notebook):
        name, content = fetched(client, url)
        (tmp_path / name).write_bytes(content)
    text = (tmp_path / f"{slug}-{language}.ipynb").read_text(encoding="utf-8")
    assert ("匿名加工" in text) == (language == "ja")
    for name in ("lecture-teamred_original.csv", "lecture-schema.toml", wheel.file_name()):
        assert name in text

    at_home = run(content, tmp_path, monkeypatch)
    assert at_home["attacks"] == []
    table = (tmp_path / "teamred_anonymized.csv").read_bytes()
    for user, team in ((cast.alice, played.red), (cast.carol, played.blue)):
        data = table if team == played.red else lecture.own_table(team)
        submission = pipeline.scored(lecture.hand_in(user, team, data))
        assert submission.state == Submission.State.SCORED
        if team == played.red:
            measured = Evaluation.objects.get(submission=submission).values
            ruleset = played.contest.ruleset
            certain = [m for m in ruleset.measures if not ruleset.measure(m).draws]
            assert len(certain) > 5  # the seed of the others is a secret of the contest
            for measure in certain:
                assert at_home["result"][measure] == measured[measure]

    lecture.publish(played.contest)
    name, content = fetched(client, reverse("targets-zip", args=[slug, "attack"]))
    (tmp_path / name).write_bytes(content)
    run((tmp_path / f"{slug}-{language}.ipynb").read_bytes(), tmp_path, monkeypatch)
    attack = (tmp_path / "teamred_attacks.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(attack)) as archive:
        assert archive.namelist() == ["teamred_attack_teamblue.csv"]
    page = reverse("round", args=[slug, "attack"])
    given = io.BytesIO(attack)
    given.name = "teamred_attacks.zip"
    assert client.post(page, {"guess": given}).status_code == 302
    guess = Submission.objects.get(round=round_of(played.contest, "attack"))
    assert pipeline.scored(guess).state == Submission.State.SCORED


def test_who_is_in_no_team_gets_the_names_of_the_lecture(cast, played, client):
    client.force_login(cast.oscar)
    name, content = fetched(client, reverse("notebook", args=[played.contest.slug]))
    assert name == "lecture-en.ipynb"
    assert "lecture-teamX_original.csv" in content.decode()


def test_names_of_columns_are_literals(cast, played, client):
    """A column's name ends no text in the code of the notebook."""
    dataset = played.contest.datasets.get(team=None, key="original")
    names = {"age": 'a"\\n%% code\\nimport os  # ', "city": "市{{ x }}"}
    text = dataset.schema_text
    for old, new in names.items():
        text = text.replace(f'name = "{old}"', f"name = {json.dumps(new, ensure_ascii=False)}")
    dataset.schema_text = text
    dataset.save()
    client.force_login(cast.oscar)
    _name, content = fetched(client, reverse("notebook", args=[played.contest.slug]))
    for cell in cells_of(content):
        if cell["cell_type"] == "code":
            compile("".join(cell["source"]), cell["id"], "exec")


def test_a_contest_with_one_table_has_no_notebook(cast, client):
    contest = cast.contest
    assert client.get(reverse("notebook", args=[contest.slug])).status_code == 404
    page = client.get(reverse("contest", args=[contest.slug])).content.decode()
    assert wheel.file_name() in page
    assert ".ipynb" not in page


def test_the_page_of_a_contest_offers_what_is_needed_at_home(cast, played, client):
    client.force_login(cast.alice)
    page = client.get(reverse("contest", args=[played.contest.slug])).content.decode()
    assert reverse("library", args=[wheel.file_name()]) in page
    assert page.count(".ipynb") >= 2
    assert f".\\pwscup\\Scripts\\python.exe -m pip install .\\{wheel.file_name()}" in page


def test_the_wheel_holds_library_and_client_without_the_platform(client, tmp_path):
    name, content = fetched(client, reverse("library", args=[wheel.file_name()]))
    assert name == wheel.file_name()
    call_command("wheel", out=str(tmp_path / "dist"), verbosity=0)
    assert (tmp_path / "dist" / name).read_bytes() == content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = set(archive.namelist())
        folder = f"{wheel.distribution()}.dist-info"
        record = archive.read(f"{folder}/RECORD").decode().splitlines()
        metadata = HeaderParser().parsestr(archive.read(f"{folder}/METADATA").decode())
    assert {line.split(",")[0] for line in record} == names
    files = {
        path.relative_to(ROOT).as_posix()
        for folder in (ROOT / "scoring", ROOT / "pwscup" / "client")
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    } | {"pwscup/__init__.py", "pwscup/__main__.py"}
    assert {name for name in names if not name.startswith(folder)} == files
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert any(line.startswith("numpy") for line in needed)
    assert not any(line.lower().startswith(("django", "celery", "redis")) for line in needed)
    assert "web" in metadata.get_all("Provides-Extra")


def test_a_title_of_several_lines_adds_no_code_to_the_notebook(played, client):
    Contest.objects.filter(pk=played.contest.pk).update(title="Cup\n%% code\nimport os")
    _name, content = fetched(client, reverse("notebook", args=[played.contest.slug]))
    first, second, *_others = cells_of(content)
    assert first["source"][0] == "# Cup %% code import os\n"
    assert second["source"][0] == "import json\n"
