# SPDX-License-Identifier: Apache-2.0
"""From a bundle of Codabench to a draft, a scored submission and a board, in the browser and by the command."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.models import User
from pwscup.archives.codabench import plan, services
from pwscup.archives.codabench.notes import LEFT_OUT
from pwscup.archives.models import CodabenchBundle
from pwscup.contests.models import Contest, Material
from pwscup.contests.services import ContestRefused, publish
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.leaderboards.services import boards_of
from scoring.formulas.measure_ranks import TableFacts, measure_ranks
from scoring.measures.composites import combined
from tests import factories
from tests.web import archives, bundles
from tests.web.bundles import FILES, WHOLE, bundle, whole, with_phase
from tests.web.pipeline import hand_in, scored

UPLOAD = "organize-codabench"
NOW = datetime(2031, 3, 1, tzinfo=UTC)
SCORER = """
import json, sys
from pathlib import Path
inputs, outputs = map(Path, sys.argv[1:])
lines = (inputs / "res" / "anonymized.csv").read_text("utf-8-sig").splitlines()
(outputs / "scores.json").write_text(json.dumps({"kept": len(lines) - 1, "seconds": 0.5}))
"""


def sent(client, data=None, name="cup.zip", **extra):
    upload = SimpleUploadedFile(name, bundle() if data is None else data)
    return client.post(reverse(UPLOAD), {"bundle": upload}, **extra)


def made(client, data=None, **choices):
    """The contest that is made of a bundle in the browser, with the address of its report."""
    preview = sent(client, data)["Location"]
    shown = client.get(preview).context["form"]
    fields = {name: shown[name].value() or "" for name in shown.fields} | choices
    assert client.post(preview, fields)["Location"] == preview
    return CodabenchBundle.objects.latest("pk").contest, preview


def draft(data=None, **choices):
    return plan.draft_of(bundles.read(bundle() if data is None else data), **{"now": NOW} | choices)


def codes(made_draft) -> set[str]:
    return {note.code for note in made_draft.left_out}


# The plan


def test_a_draft_has_all_that_a_bundle_describes():
    found = draft()
    rules = found.ruleset
    assert (rules.title["en"], rules.summary["ja"]) == (WHOLE["title"], WHOLE["description"])
    first, last = rules.rounds
    assert (first.key, first.tries, first.tries_per_day, first.counts) == (
        "development",
        30,
        3,
        "last",
    )
    assert (first.description["en"], first.minutes) == ("Try it.", 14 * 24 * 60 + 720)
    assert last.description["en"].startswith("Submit a table with the columns of the original")
    assert [(s.key, s.weight) for s in rules.stages] == [("development", 0), ("final", 1)]
    kept, seconds = rules.program.values
    assert (rules.program.name, kept.id, kept.direction) == ("hide-the-towns", "kept", "higher")
    assert (seconds.measure.texts["title"]["en"], seconds.direction) == ("Seconds", "lower")
    assert (rules.ranking.utility, rules.ranking.safety) == (("kept",), ("kept",))
    assert found.hidden == ("seconds",)
    assert [p.opens_at.isoformat() for p in found.rounds] == [
        "2031-04-01T00:00:00+00:00",
        "2031-04-16T00:00:00+00:00",
    ]
    assert {"kind", "program", "ranking", "ranges", "precision", "seasons", "language"} <= codes(
        found
    )


def test_one_phase_needs_no_stages():
    found = draft(bundle(whole(phases=WHOLE["phases"][:1])))
    assert [stage.key for stage in found.ruleset.stages] == ["contest"]
    assert "seasons" not in codes(found)


@pytest.mark.parametrize(
    ("changed", "code", "expected"),
    [
        ({"max_submissions": None}, "participants", (100, 5)),
        ({"max_submissions": 0, "max_submissions_per_day": 0}, "unlimited", (10_000, None)),
        ({"max_submissions": 99_999}, "too_many_tries", (10_000, 5)),
        ({"end": None}, "endless", (100, 5)),
        ({"end": "2050-01-01"}, "shorter", (100, 5)),
        ({"execution_time_limit": 9_000}, "time_limit", (100, 5)),
    ],
)
def test_limits_that_no_round_can_have_are_named(changed, code, expected):
    found = draft(bundle(with_phase(1, **changed)))
    last = found.ruleset.rounds[-1]
    assert code in codes(found)
    assert (last.tries, last.tries_per_day) == expected


def test_an_endless_round_has_an_end_all_the_same():
    last = draft(bundle(with_phase(1, end=None))).rounds[-1]
    assert last.closes_at - last.opens_at == timedelta(days=365)


def test_all_rounds_move_with_the_first():
    start = datetime(2032, 1, 1, tzinfo=UTC)
    found = draft(starts_at=start)
    assert found.rounds[0].opens_at == start
    assert found.rounds[1].opens_at - start == timedelta(days=15)
    assert "moved" in codes(found)
    later = datetime(2031, 6, 1, tzinfo=UTC)
    assert "over" in codes(draft(now=later))
    assert "over" not in codes(draft(now=later, starts_at=start))


@pytest.mark.parametrize("key", ["U1", "top 1 (%)", "x" * 40, "精度"])
def test_keys_that_no_measure_can_have_are_renamed(key):
    made = whole()
    made["leaderboards"][0]["columns"][0]["key"] = key
    found = draft(bundle(made))
    (note,) = [note for note in found.left_out if note.code == "key"]
    assert note.params["name"] == found.ruleset.measures[0] != key


def test_names_of_rounds_are_different():
    phases = [
        {"name": "決勝", "start": f"2031-0{n}-01", "end": f"2031-0{n}-02", "tasks": [0]}
        for n in (1, 2, 3)
    ]
    phases[2]["name"] = phases[1]["name"] = "Final"
    found = draft(bundle(whole(phases=phases)))
    assert [plan.key for plan in found.rounds] == ["phase-1", "final", "final-2"]


def test_the_first_visible_column_decides():
    made = whole()
    made["leaderboards"][0]["columns"][0]["hidden"] = True
    made["leaderboards"][0]["columns"][1]["hidden"] = False
    rules = draft(bundle(made)).ruleset
    assert (rules.ranking.utility, rules.ranking.safety) == (("seconds",), ("seconds",))


def test_further_columns_break_ties():
    made = whole()
    made["leaderboards"][0]["columns"][1]["hidden"] = False
    rules = draft(bundle(made)).ruleset
    measured = {
        "a": {"kept": 1.0, "seconds": 9.0},
        "b": {"kept": 2.0, "seconds": 9.0},
        "c": {"kept": 2.0, "seconds": 1.0},
    }
    facts = TableFacts(tuple("abc"), measured)
    weights = {spec.id: spec.weight for spec in rules.measure_specs}
    board = measure_ranks(facts, rules.ranking, weights).anonymization
    assert sorted(board, key=lambda team: board[team].total) == ["c", "b", "a"]


def test_of_a_hidden_leaderboard_nothing_is_shown():
    made = whole()
    made["leaderboards"][0]["hidden"] = True
    found = draft(bundle(made))
    assert found.hidden == found.ruleset.measures == ("kept", "seconds")


def test_computed_columns_become_composites():
    made = whole()
    column = {"title": "Both", "key": "both", "computation": "sum"}
    columns = [column | {"computation_indexes": [1, 2]}, *made["leaderboards"][0]["columns"]]
    for n, one in enumerate(columns):
        one["index"] = n
    made["leaderboards"][0]["columns"] = columns
    rules = draft(bundle(made)).ruleset
    assert rules.measures == ("kept", "seconds", "both")
    assert (rules.ranking.utility, rules.ranking.safety) == (("both", "kept"), ("both",))
    terms = rules.measure("both").terms
    assert combined("sum", terms, [40.0, 0.5]) == 40.5


@pytest.mark.parametrize("rule", ["Force_Best", "Add_And_Delete_Multiple"])
def test_other_rules_of_the_leaderboard_are_named(rule):
    made = whole()
    made["leaderboards"][0]["submission_rule"] = rule
    found = draft(bundle(made))
    assert "rule" in codes(found)
    assert found.ruleset.rounds[0].counts == "chosen_or_latest"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python3 $program/score.py $input $output", "/opt/scorers/hide-the-towns/score.py"),
        ("python /app/program/a.py /app/input/ref /app/output/", '"{input}/ref"'),
        ("$program/run --in=$input $output", '"/opt/scorers/hide-the-towns/run"'),
        ("python3 score.py --fast", '"--fast",\n    "{input}",\n    "{output}",'),
        ("run 'it", '"/opt/scorers/hide-the-towns/run"'),
        ("", "/opt/scorers/hide-the-towns/score.py"),
    ],
)
def test_the_administrator_reads_what_to_add(command, expected):
    metadata = f'command: "{command}"'.encode()
    found = draft(bundle(files=FILES | {"scoring_program/metadata.yaml": metadata}))
    (note,) = [note for note in found.left_out if note.code == "program"]
    assert expected in note.file
    assert "seconds = 600" in note.file
    assert factories_programs(note.file) == {"hide-the-towns"}


def factories_programs(text: str) -> set[str]:
    from scoring.sandbox.programs import read_programs

    return set(read_programs(text))


def test_a_program_of_certain_folders_is_named():
    metadata = b"command: python3 score.py"
    files = FILES | {"scoring_program/metadata.yaml": metadata}
    assert "fixed_folders" in codes(draft(bundle(files=files)))
    assert "fixed_folders" not in codes(draft())


def test_an_allowed_program_is_named():
    found = draft(allowed=["changes"], program="changes")
    assert found.ruleset.program.name == "changes"
    assert "program_allowed" in codes(found)
    assert "program" not in codes(found)


def test_long_texts_are_cut_and_named():
    made = whole(title="T" * 150, description="d " * 400)
    found = draft(bundle(made, FILES | {"pages/terms.md": b"t" * 30_000}))
    assert {"title", "summary", "terms_long"} <= codes(found)
    assert (len(found.title), len(found.summary), len(found.terms)) == (100, 500, 20_000)


def test_every_note_of_a_plan_has_its_texts():
    made = whole(reward="1", fact_sheet={"a": 1})
    for note in draft(bundle(made)).left_out:
        assert note.code in LEFT_OUT
        assert "%" not in note.what + note.instead


# The pages


def test_a_bundle_is_shown_and_becomes_a_draft(cast, oscar):
    preview = sent(oscar)["Location"]
    page = oscar.get(preview).content.decode()
    for text in (
        "Hide the Towns",
        "Development",
        "30 attempts",
        "3 per day",
        "for organizers only",
    ):
        assert text in page
    assert "The picture of the competition" in page
    assert "[hide-the-towns]" in page
    assert not Contest.objects.filter(title="Hide the Towns").exists()
    contest, report = made(oscar)
    assert (contest.title, contest.summary) == ("Hide the Towns", "Anonymize a table of towns.")
    assert (contest.terms, contest.terms_ja) == ("Be fair.", "")
    assert contest.hidden_measures == ["seconds"]
    assert list(contest.organizers.all()) == [cast.oscar]
    assert not contest.is_published
    first, last = contest.rounds.all()
    assert (first.key, first.tries, first.tries_per_day) == ("development", 30, 3)
    assert first.opens_at == datetime(2031, 4, 1, tzinfo=UTC)
    assert last.closes_at == datetime(2031, 4, 20, tzinfo=UTC)
    overview, data = Material.objects.filter(contest=contest).select_related("file")
    assert (overview.title, overview.file.name) == ("Overview", "overview.md")
    assert storage.read(data.file) == b"# Data\n\nA table."
    event = Event.objects.get(kind="contest.made_of_bundle")
    assert (event.contest_id, event.actor) == (contest.pk, cast.oscar)
    assert event.data["sha256"] == CodabenchBundle.objects.latest("pk").sha256
    page = oscar.get(report).content.decode()
    assert "The picture of the competition" in page
    assert reverse("organize-contest", args=[contest.slug]) in page
    overview = oscar.get(reverse("organize-contest", args=[contest.slug])).content.decode()
    assert report in overview
    assert "has not allowed the program “hide-the-towns”" in overview
    for name in ("organize-contest", "organize-rules", "organize-rounds", "organize-data"):
        assert oscar.get(reverse(name, args=[contest.slug])).status_code == 200
    assert oscar.get(reverse("rules", args=[contest.slug])).status_code == 200
    assert (
        "created from a Codabench bundle"
        in oscar.get(reverse("organize-events", args=[contest.slug])).content.decode()
    )


def test_the_pages_are_in_japanese(cast, oscar):
    oscar.cookies["django_language"] = "ja"
    page = oscar.get(reverse(UPLOAD)).content.decode()
    assert "Codabenchから取り込む" in page
    preview = sent(oscar)["Location"]
    page = oscar.get(preview).content.decode()
    assert "取り込まれないもの" in page
    assert "コンペティションの画像" in page
    refused = sent(oscar, bundle(whole(title=None))).content.decode()
    assert "title — キーがありません — 期待：文字列" in refused


def test_problems_are_all_listed_and_nothing_is_kept(cast, oscar):
    response = sent(oscar, bundle(whole(title=None, terms="x.md")))
    assert response.status_code == 422
    page = response.content.decode()
    assert "title — the key is missing — expected a text" in page
    assert "terms — the bundle does not have the file" in page
    assert not CodabenchBundle.objects.exists()


def test_dates_of_the_past_are_proposed_anew(cast, oscar):
    old = whole(phases=[{"name": "Old", "start": "2019-01-01", "end": "2019-02-01", "tasks": [0]}])
    contest, _ = made(oscar, bundle(old))
    (round,) = contest.rounds.all()
    assert round.opens_at > timezone.now()
    assert round.closes_at - round.opens_at == timedelta(days=31)


def test_the_start_is_in_the_chosen_zone(cast, oscar):
    choices = {"timezone": "Europe/Paris", "starts_at": "2032-01-10T10:00"}
    contest, _ = made(oscar, **choices)
    assert contest.timezone == "Europe/Paris"
    assert contest.rounds.first().opens_at == datetime(2032, 1, 10, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "wrong", [{"starts_at": "soon"}, {"timezone": "Mars/Base"}, {"program": "other"}]
)
def test_wrong_choices_create_nothing(cast, oscar, wrong):
    preview = sent(oscar)["Location"]
    fields = {"timezone": "UTC", "starts_at": "", "program": "hide-the-towns"} | wrong
    assert oscar.post(preview, fields).status_code == 422
    assert CodabenchBundle.objects.get().contest is None


def test_a_draft_is_made_once(cast, oscar):
    contest, report = made(oscar)
    assert oscar.post(report, {"timezone": "UTC", "program": "hide-the-towns"}).status_code == 302
    found = CodabenchBundle.objects.get()
    assert found.contest == contest
    with pytest.raises(ContestRefused):
        services.make_draft(actor=cast.oscar, bundle=found, draft=draft())
    assert Contest.objects.filter(title="Hide the Towns").count() == 1


def test_a_failure_leaves_nothing(cast, oscar, monkeypatch):
    preview = sent(oscar)["Location"]
    before = StoredFile.objects.count()

    def fail(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr(services.audit_log, "record", fail)
    with pytest.raises(OSError, match="full"):
        oscar.post(preview, {"timezone": "UTC", "program": "hide-the-towns"})
    assert not Contest.objects.filter(title="Hide the Towns").exists()
    assert StoredFile.objects.count() == before


def test_bundles_are_their_owners(cast, oscar, as_user):
    other = as_user(factories.make_user("olga", is_organizer=True))
    preview = sent(oscar)["Location"]
    assert other.get(preview).status_code == 404
    assert as_user(cast.alice).get(preview).status_code == 404
    assert as_user(cast.alice).get(reverse(UPLOAD)).status_code == 404
    assert as_user(None).get(preview).status_code == 302
    contest, report = made(oscar)
    assert other.get(report).status_code == 404
    contest.organizers.add(User.objects.get(email__startswith="olga"))
    assert other.get(report).status_code == 200


def test_old_bundles_without_a_draft_are_forgotten(cast, monkeypatch):
    monkeypatch.setattr(services, "MOST_KEPT", 2)
    for _ in range(4):
        services.receive(actor=cast.oscar, name="a.zip", source=io.BytesIO(bundle()))
    assert CodabenchBundle.objects.count() == 2


def test_a_hostile_title_is_text(cast, oscar):
    title = '<script>alert("1")</script>'
    contest, report = made(oscar, bundle(whole(title=title, reward=title)))
    assert contest.title == title
    for page in (oscar.get(report), oscar.get(reverse("rules", args=[contest.slug]))):
        assert title not in page.content.decode()


def test_pages_lead_to_the_import(cast, oscar):
    for name in ("organize-new", "organize-import"):
        assert reverse(UPLOAD) in oscar.get(reverse(name)).content.decode()


def test_japanese_texts_stand_in_both_languages(cast, oscar):
    contest, _ = made(oscar, bundle(whole(title="まちを隠す", description="町の表")))
    assert (contest.title, contest.title_ja) == ("まちを隠す", "まちを隠す")
    assert contest.summary_ja == "町の表"


# Played


@pytest.fixture
def program(settings, tmp_path):
    own = tmp_path / "hide-the-towns"
    own.mkdir()
    (own / "score.py").write_text(SCORER, encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(own / "score.py"), "{input}", "{output}"]
    listed = tmp_path / "programs.toml"
    listed.write_text(f"[hide-the-towns]\ncommand = {command}\nfolder = {str(own)!r}\n", "utf-8")
    settings.PROGRAMS_FILE = str(listed)


@pytest.mark.usefixtures("unsent", "program")
def test_a_draft_can_be_published_and_scores(cast, oscar):
    start = timezone.now() - timedelta(days=1)
    contest, _report = made(oscar, timezone="UTC", starts_at=f"{start:%Y-%m-%dT%H:%M}")
    assert "program_allowed" in {
        note.code for note in services.left_out_of(contest.codabench_bundle)
    }
    factories.attach_original(contest)
    publish(actor=cast.oscar, contest=contest)
    contest.refresh_from_db()
    red = factories.make_team(contest, "Red", cast.alice)
    submission = scored(hand_in(cast.alice, red, contest.rounds.first()))
    assert submission.state == "scored"
    values = submission.evaluations.get().values
    assert values["seconds"] == 0.5
    boards = boards_of(contest, timezone.now(), stage="development")
    (row,) = boards.section("anonymization")["rows"]
    assert row["rank"] == 1
    page = oscar.get(reverse("board", args=[contest.slug])).content.decode()
    assert "Kept" in page


@pytest.mark.usefixtures("unsent")
def test_an_archive_keeps_the_contest_of_a_bundle(cast, oscar):
    contest, _ = made(oscar)
    factories.attach_original(contest)
    imported = archives.imported(
        cast.oscar, archives.bytes_of(archives.written(contest, cast.oscar))
    )
    assert imported.state == "done", imported.problems
    assert imported.contest.ruleset.program.name == "hide-the-towns"
    assert [m.title for m in imported.contest.materials.all()] == ["Overview", "Data"]


def test_an_address_is_not_kept(cast, oscar):
    made(oscar, bundle(whole(contact_email="ada@example.org")))
    row = CodabenchBundle.objects.values().get()
    assert "contact" in str(row)
    assert "ada@example.org" not in str(row)


# The command


def command(path, **options):
    out = io.StringIO()
    call_command(
        "import_codabench", str(path), **{"owner": "oscar@example.org", "stdout": out} | options
    )
    return out.getvalue()


def test_the_command_makes_the_same_draft(cast, tmp_path):
    path = tmp_path / "cup.zip"
    path.write_bytes(bundle())
    said = command(path, preview=True)
    assert said.startswith("Would be created: Hide the Towns")
    assert not CodabenchBundle.objects.exists()
    said = command(path, timezone="UTC", starts_at=datetime(2032, 1, 1, tzinfo=UTC))
    contest = CodabenchBundle.objects.get().contest
    assert f"Created as the draft {contest.slug}: Hide the Towns" in said
    assert "Round development: 2032-01-01 00:00 to 2032-01-15 12:00 UTC" in said
    assert "Measure seconds, lower is better" in said
    assert "image — The picture of the competition — Contests have no logo." in said
    assert "    [hide-the-towns]" in said


def test_the_command_refuses_with_reasons(cast, tmp_path):
    path = tmp_path / "cup.zip"
    path.write_bytes(bundle(whole(title=None)))
    with pytest.raises(CommandError, match="title — the key is missing"):
        command(path)
    path.write_bytes(bundle())
    with pytest.raises(CommandError, match="no account has this address"):
        command(path, owner="nobody@example.org")
    with pytest.raises(CommandError, match="grant_organizer alice"):
        command(path, owner="alice@example.org")
    with pytest.raises(CommandError, match="no such time zone"):
        command(path, timezone="Mars/Base")
    with pytest.raises(CommandError, match="No such file"):
        command(tmp_path / "none.zip")
