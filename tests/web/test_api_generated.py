# SPDX-License-Identifier: Apache-2.0
"""Requests that schemathesis generates from the OpenAPI document, one by one and in sequences that use earlier answers:
no error of the server, and no answer that the document does not describe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from django.db.backends.utils import CursorWrapper
from django.test import Client

from pwscup.accounts.tokens import ORGANIZE, TEAM, create_token
from pwscup.api.teams import submissions as operations
from pwscup.contests.models import Contest
from pwscup.submissions.models import Release, Submission
from tests import factories
from tests.web import pipeline, questions

LIMIT_SECONDS = 3600
pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(LIMIT_SECONDS + 60),
    pytest.mark.usefixtures("unsent"),
]
FOLDER = "GENERATED_FILES"
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = 12
PHASES = "coverage,fuzzing,stateful"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "ignored_auth",
)
# Who sends, with which scope, to which addresses.
ROLES = {
    "alice": (TEAM, "--exclude-path-regex"),
    "oscar": (ORGANIZE, "--include-path-regex"),
}
TIME = "2031-01-10T10:00:00+09:00"
# Values of keys in bodies, so that more of the requests are taken.
BODIES: dict[str, list[Any]] = {
    "body.ruleset": ["pwscup2015", "dp-disclosure", "sequential-release", "pets-lecture"],
    "body.starts_at": [TIME],
    "body.until": [TIME],
    "body.title": ["Green"],
    "body.name": ["Green", "Red"],
    "body.email": ["dave@example.org", "bob@example.org"],
    "body.office": ["organizer", "judge"],
    "body.reason": ["A storm"],
    "body.text": ["team,email\nGreen,g@example.org\n", "Why?"],
    "body.subject": ["A question"],
    "body.answer": ["Yes."],
    "body.names": ["all", "consent", "none"],
    "body.epsilon": ["0.1", "0.25"],
    "body.url": ["https://example.org/hook"],
    "body.schema_toml": [factories.SCHEMA, factories.DP_SCHEMA],
    "body.stage": [""],
    "body.move": ["next", "back", "all"],
    "body.round": ["anonymization", "attack", "interactive"],
    "body.method": ["class-average", "sa-noise", "EUC1"],
    "body.days": [7],
    "body.version": [0, 1],
}


@pytest.fixture
def world(transactional_db, cast, settings, monkeypatch) -> dict[str, list[Any]]:
    """Contests of several formats and states; the names of what is in them, by the names of parameters."""
    settings.API_REQUESTS_PER_MINUTE = 10**9
    monkeypatch.setattr(operations, "WAITERS", threading.Semaphore(0))  # nobody scores meanwhile
    refuse_nul(monkeypatch)
    round = pipeline.round_of(cast.contest, "anonymization")
    pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    played = [
        factories.make_dp_contest(organizer=cast.oscar),
        factories.make_series_contest(organizer=cast.oscar),
        factories.make_lecture_contest(organizer=cast.oscar, phase="presentation"),
    ]
    for contest in played:
        pipeline.two_teams(cast, contest)
    draft = factories.make_contest("draft", organizer=cast.oscar, phase="before", published=False)
    contests = [cast.contest, draft, attacked(cast), *played]
    keys = {round.key for contest in contests for round in contest.rounds.all()}
    ids = [one.public_id for table in (Submission, Release) for one in table.objects.all()]
    return {
        "slug": [contest.slug for contest in contests],
        "key": [*sorted(keys), "anonymized", "rows", "guess"],
        "public_id": [str(one) for one in ids],
        "team": ["red", "blue"],
        "number": [*range(1, 5), cast.bob.pk],
    }


def refuse_nul(monkeypatch: Any) -> None:
    """The database refuses the character NUL as PostgreSQL does, in every thread."""
    execute = CursorWrapper.execute

    def refusing(self: Any, sql: str, params: Any = None) -> Any:
        if any(isinstance(one, str) and "\0" in one for one in params or ()):
            raise ValueError("A string literal cannot contain NUL (0x00) characters.")
        return execute(self, sql, params)

    monkeypatch.setattr(CursorWrapper, "execute", refusing)


def attacked(cast: Any) -> Contest:
    """The flagship in its attack round, with a guess."""
    contest = factories.make_contest("attacked", organizer=cast.oscar)
    teams = pipeline.two_teams(cast, contest)
    round = pipeline.round_of(contest, "anonymization")
    for user, team in ((cast.alice, teams.red), (cast.carol, teams.blue)):
        pipeline.scored(pipeline.hand_in(user, team, round))
    target = pipeline.publish(contest)["Blue"]
    pipeline.scored(pipeline.guess(cast.alice, teams.red, target, factories.ROWS))
    return contest


def configured(path: Path, world: dict[str, list[Any]]) -> Path:
    """The settings of schemathesis: most requests name what there is."""
    lines, bound = [], ["[parameters]"]
    for n, (name, values) in enumerate((world | BODIES).items()):
        lines += [f"[dictionaries.d{n}]", f"values = {json.dumps(values)}"]
        bound += [f'"{name}" = {{ dictionary = "d{n}", probability = 0.9 }}']
    other_methods = ["[phases.coverage]", "unexpected-methods = []"]  # which are no operations
    path.write_text("\n".join([*lines, *bound, *other_methods, ""]))
    return path


def files(folder: Path) -> Path:
    """Files that some rounds take."""
    folder.mkdir()
    both = {"anonymized.csv": factories.NOISY, "rows.csv": factories.ROWS}
    for name, data in {
        "table.csv": factories.ORIGINAL,
        "guess.csv": factories.ROWS,
        "estimate.csv": factories.DP_TRUTH,
        "slides.pdf": b"%PDF-1.4\n%%EOF\n",
        "both.zip": questions.archive_of(both),
        "guesses.zip": questions.archive_of({"blue.csv": factories.ROWS}),
        "tables.zip": factories.hospital_tables(),
    }.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("name", ROLES)
def test_generated_requests_get_answers_of_the_document(cast, world, live_server, tmp_path, name):
    scope, chosen = ROLES[name]
    token = create_token(user=getattr(cast, name), name="generated", days=7, scopes=(scope,))[1]
    document = tmp_path / "openapi.json"
    document.write_bytes(Client().get("/api/v1/openapi.json").content)
    done = subprocess.run(
        [
            *(Path(sys.executable).parent / "st", "--no-color"),
            *("--config-file", configured(tmp_path / "schemathesis.toml", world)),
            *("run", document, "--url", live_server.url, "--request-timeout", "60"),
            *("--header", f"Authorization:Bearer {token}", chosen, "/organize"),
            *("--phases", PHASES, "--checks", ",".join(CHECKS)),
            *("--max-examples", str(EXAMPLES), "--seed", "1", "--continue-on-failure"),
        ],
        cwd=tmp_path,
        env=os.environ
        | {
            "PYTHONPATH": str(ROOT),
            "SCHEMATHESIS_HOOKS": "tests.generated",
            FOLDER: str(files(tmp_path / "bodies")),
        },
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
