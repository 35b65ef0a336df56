# SPDX-License-Identifier: Apache-2.0
"""The API's pages of documentation: every address, every code, and a program that runs as it is printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from django.utils import translation
from django.utils.html import escape
from django.utils.translation import gettext

from pwscup.accounts.tokens import LIFETIMES, MAX_TOKENS, create_token
from pwscup.api import problems, reference, schemas
from pwscup.api.main import MAX_BODY_BYTES, MAX_ORGANIZERS_BYTES
from pwscup.api.schemas import organize
from pwscup.api.views import document
from pwscup.contests.models import Contest
from pwscup.disclosure.models import Answer
from pwscup.submissions.models import Submission
from tests import factories
from tests.test_docs import FENCE, REFERENCE, ROOT, cells, codes, text_of
from tests.web import pipeline
from tools import api_reference

REFERENCE_PAGE, HOW_TO = "api.md", ROOT / "docs" / "how-to" / "ask-by-program.md"


def test_every_address_is_listed():
    written = text_of(api_reference.TARGET)
    current = api_reference.rewritten(written, document())
    assert written == current, "run: python -m tools.api_reference"
    listed = codes(cells(REFERENCE_PAGE, "## Addresses"))
    for _tag, method, path, _operation in api_reference.operations(document()):
        assert f"{method} {path.removeprefix('/api/v1')}" in listed


def test_every_key_of_an_answer_is_listed():
    listed = codes(cells(REFERENCE_PAGE, "## A query"))
    assert set(listed) - {"false", "total", "left"} == set(
        document()["components"]["schemas"]["Asked"]["properties"]
    )


def test_every_code_of_the_api_is_listed():
    rows = [row for row in cells(REFERENCE_PAGE, "## Refusals") if row[0].startswith("`")]
    listed = {(codes([row])[0], int(row[1])) for row in rows}
    known = {(code, status) for status, (code, _message) in problems.OF_STATUS.items()}
    known |= {(code, 422) for code, _message in (*problems.ENVELOPE.values(), problems.OTHERWISE)}
    known |= {(code, problems.STATUS_OF.get(code, 409)) for code in problems.ApiRefused.TEXTS}
    assert listed == known


def test_numbers_are_those_of_the_code():
    text = text_of(REFERENCE / REFERENCE_PAGE)
    assert f"{MAX_BODY_BYTES:,} bytes ({MAX_ORGANIZERS_BYTES:,} below" in text
    *some, last = LIFETIMES
    assert f"{', '.join(map(str, some))} or {last} days; ten at a time" in text
    assert MAX_TOKENS == 10


def test_the_program_runs_as_it_is_printed(transactional_db, live_server, tmp_path):
    alice = factories.make_user("alice")
    factories.make_team(factories.make_dp_contest(), "Red", alice)
    _token, text = create_token(user=alice, name="laptop", days=7)
    program, *_organizers = printed()
    (tmp_path / "ask.py").write_text(program, encoding="utf-8")
    (line,) = re.findall(r"^python3 (ask\.py .*)$", text_of(HOW_TO), re.MULTILINE)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PWSCUP_URL": live_server.url, "PWSCUP_TOKEN": text}
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    arguments = line.replace("demo-hidden", "dp").split()
    usage = run("ask.py")
    assert (usage.returncode, usage.stderr) == (1, "usage: python3 ask.py CONTEST ROUND EPSILON\n")
    first = run(*arguments)
    assert first.stdout == "paid 0.25 left 0.75\nestimate 1 scored\n", first.stderr
    again = run(*arguments)
    assert again.stdout == "had already 0.25 left 0.75\nestimate 2 scored\n"
    assert [answer.asked_by for answer in Answer.objects.all()] == [alice]
    assert {found.state for found in Submission.objects.all()} == {"scored"}
    refused = run(*arguments[:-1], "2")
    assert refused.returncode == 1
    assert refused.stderr.startswith("budget.exceeded: ")


def printed() -> list[str]:
    """The programs of the page: that of a team, and those of organizers."""
    return [text for language, text in FENCE.findall(text_of(HOW_TO)) if language == "python"]


def test_the_programs_of_organizers_run_as_they_are_printed(
    transactional_db, live_server, tmp_path
):
    oscar = factories.make_user("oscar", is_organizer=True)
    _token, text = create_token(user=oscar, name="laptop", days=7, scopes=("organize",))
    team, *organizers = printed()
    imports, _, rest = team.partition("\ncontest, key")[0].partition("\nif len(sys.argv)")
    assert rest
    (tmp_path / "api.py").write_text(imports, encoding="utf-8")
    for program in organizers:
        name = program.partition("\n")[0].removeprefix("# ")
        (tmp_path / name).write_text(program, encoding="utf-8")
    (tmp_path / "original.csv").write_bytes(factories.ORIGINAL)
    (tmp_path / "schema.toml").write_text(factories.SCHEMA, encoding="utf-8")
    (teams,) = (text for language, text in FENCE.findall(text_of(HOW_TO)) if language == "csv")
    (tmp_path / "teams.csv").write_text(teams, encoding="utf-8")

    def run(line: str) -> str:
        environment = os.environ | {"PWSCUP_URL": live_server.url, "PWSCUP_TOKEN": text}
        found = subprocess.run(
            [sys.executable, *line.split()],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == 0, found.stderr
        return found.stdout

    season, close = re.findall(
        r"^python3 ((?:season|close)\.py .*)$", text_of(HOW_TO), re.MULTILINE
    )
    assert run(season) == "4 records\n2 teams are invited\nopen\n"
    contest = Contest.objects.get(slug="spring")
    member = factories.make_user("alice")
    green = factories.make_team(contest, "Green", member)
    pipeline.hand_in(member, green, pipeline.round_of(contest, "anonymization"))
    assert run(close) == ("closed\n1 submissions scored again, 0 results change\narchive 1 done\n")


@pytest.mark.django_db
def test_the_description_is_public(client):
    assert client.get("/api/v1/openapi.json").json()["openapi"].startswith("3.")


# The page of the site


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_shows_every_operation_and_type(client, language):
    page = client.get("/api/v1/docs", headers={"Accept-Language": language})
    assert page.status_code == 200
    assert page["Content-Type"].startswith("text/html")
    html = page.content.decode()
    with translation.override(language):
        for _tag, method, path, operation in api_reference.operations(document()):
            assert f'id="{operation["operationId"]}"' in html
            assert f"{method}</span> <code>{path}</code>" in html
            assert escape(gettext(operation["summary"])) in html
            assert (gettext(operation["summary"]) == operation["summary"]) == (language == "en")
    for name in document()["components"]["schemas"]:
        assert f'id="type-{name}"' in html
    for target in re.findall(r'href="#([^"]+)"', html):
        assert f'id="{target}"' in html, target
    assert "<script" not in html.partition("<main")[2]


def test_every_operation_has_a_topic_and_a_name_of_its_own():
    found = api_reference.operations(document())
    assert {tag for tag, *_rest in found} == set(reference.TOPICS)
    ids = [operation["operationId"] for *_rest, operation in found]
    assert len(set(ids)) == len(ids)


def test_every_type_has_a_name_of_its_own():
    """The document keeps one type by each name."""

    def names(module) -> set[str]:
        found = vars(module).values()
        return {one.__name__ for one in found if getattr(one, "__module__", "") == module.__name__}

    assert names(schemas) & names(organize) == set()


def test_the_description_is_right_about_media_types_and_headers():
    refusals = document()["components"]["responses"]
    for _tag, method, path, operation in api_reference.operations(document()):
        responses = operation["responses"]
        for status, named in responses.items():
            response = refusals[named["$ref"].rpartition("/")[2]] if status >= 400 else named
            assert {"RateLimit-Limit", "RateLimit-Remaining"} <= set(response["headers"]), path
            if status >= 400:
                assert list(response["content"]) == ["application/problem+json"]
        (done,) = [status for status in responses if status in (200, 201, 204)][:1]
        assert (done == 204) == ("content" not in responses[done]), path
        assert method == "GET" or {400, 413, 415} <= set(responses), path
    paths = document()["paths"]
    submit = paths["/api/v1/contests/{slug}/rounds/{key}/submissions"]["post"]
    assert set(submit["requestBody"]["content"]) == {
        "multipart/form-data",
        "text/csv",
        "application/zip",
        "application/pdf",
    }
    assert "Idempotency-Key" in {one["name"] for one in submit["parameters"]}
    table = paths["/api/v1/releases/{public_id}/table"]["get"]["responses"][200]
    assert set(table["content"]) == {"text/csv", "application/zip"}
    listed = paths["/api/v1/contests/{slug}/rounds/{key}/submissions"]["get"]["responses"][200]
    assert {"Link", "X-Total-Count"} <= set(listed["headers"])
