# SPDX-License-Identifier: Apache-2.0
"""Bundles of Codabench: well made ones are read, and of all others every problem is named with its place."""

from __future__ import annotations

import io
import random
import zipfile
from datetime import UTC, datetime

import pytest
import yaml
from django.utils.translation import override

from pwscup.archives.codabench import yaml_text
from pwscup.archives.codabench.notes import EXPECTED, LEFT_OUT, PROBLEMS, BundleRefused
from pwscup.archives.codabench.pages import text_of_html
from tests.web.bundles import (
    COMMAND,
    FILES,
    WHOLE,
    bundle,
    left_out,
    problems,
    read,
    whole,
    with_phase,
)
from tests.zips import zipped


def with_column(**changed):
    made = whole()
    made["leaderboards"][0]["columns"][0] |= changed
    return made


# Well made


def test_a_whole_bundle_is_read():
    found = read(bundle())
    assert (found.title, found.description) == ("Hide the Towns", "Anonymize a table of towns.")
    assert found.terms == "Be fair."
    assert [(page.title, page.text) for page in found.pages] == [
        ("Overview", "# Overview\n\nHide the towns."),
        ("Data", "# Data\n\nA table."),
    ]
    first, last = found.phases
    assert (first.name, first.per_day, first.in_all, first.seconds) == ("Development", 3, 30, 120)
    assert first.ends_at == datetime(2031, 4, 15, 12, tzinfo=UTC)
    assert (last.per_day, last.in_all, last.seconds) == (5, 100, 600)
    assert last.starts_at == datetime(2031, 4, 16, tzinfo=UTC)
    columns = [(c.key, c.direction, c.precision, c.is_hidden) for c in found.leaderboard.columns]
    assert columns == [("kept", "higher", 3, False), ("seconds", "lower", 2, True)]
    assert found.program.command == "python3 $program/score.py $input $output"
    assert found.program.files == ("metadata.yaml", "score.py")
    assert left_out(bundle()) == {
        "page_html": "pages[2].file",
        "reference_data": "tasks[1].reference_data",
        "image": "image",
    }


@pytest.mark.parametrize("folder", ["cup/", "a/b/", "表/"])
def test_a_bundle_in_a_folder_is_read(folder):
    assert read(bundle(folder=folder)) == read(bundle())


def test_a_program_may_be_an_archive_in_the_bundle():
    packed = zipped(("metadata", COMMAND.encode()), ("score.py", b""), ("lib/more.zip", b""))
    content = whole(tasks=[WHOLE["tasks"][0] | {"scoring_program": "./program.zip"}])
    found = read(bundle(content, FILES | {"program.zip": packed})).program
    assert (found.path, found.files) == ("program.zip", ("lib/more.zip", "metadata", "score.py"))
    assert found.command.startswith("python3 ")


@pytest.mark.parametrize(
    "start", ["2031-03-31T23:00:00-01:00", "2031-04-01T00:00:00Z", "2031-04-01", "2031-04-01 00:00"]
)
def test_dates_have_a_zone_or_are_in_utc(start):
    expected = datetime(2031, 4, 1, tzinfo=UTC)
    assert read(bundle(with_phase(0, start=start))).phases[0].starts_at == expected
    unquoted = yaml.safe_dump(with_phase(0, start="HERE")).replace("HERE", start)
    assert read(bundle(unquoted)).phases[0].starts_at == expected


def test_limits_may_be_missing_or_none():
    phase = read(bundle(with_phase(0, max_submissions=0, max_submissions_per_day="7"))).phases[0]
    assert (phase.in_all, phase.per_day) == (None, 7)


def test_phases_and_columns_come_by_their_index():
    made = whole()
    made["phases"].reverse()
    made["leaderboards"][0]["columns"].reverse()
    assert read(bundle(made)) == read(bundle())


def test_the_last_phase_may_have_no_end():
    assert read(bundle(with_phase(1, end=None))).phases[1].ends_at is None


def test_aliases_are_read():
    text = yaml.safe_dump(whole(phases=None)) + "\n".join(
        [
            "phases:",
            "- &one {name: One, start: 2031-04-01, end: 2031-04-02, tasks: [0]}",
            "- {<<: *one, name: Two, start: 2031-04-03, end: 2031-04-04}",
        ]
    )
    assert [phase.name for phase in read(bundle(text)).phases] == ["One", "Two"]


# Left out


@pytest.mark.parametrize(
    ("changed", "code", "where"),
    [
        ({"docker_image": "x/y:1"}, "docker", "docker_image"),
        ({"contact_email": "a@example.org"}, "contact", "contact_email"),
        ({"reward": "$1000"}, "reward", "reward"),
        ({"queue": "abc"}, "queue", "queue"),
        ({"fact_sheet": {"q": {"key": "q"}}}, "fact_sheet", "fact_sheet"),
        ({"registration_auto_approve": False}, "registration", "registration_auto_approve"),
        ({"make_programs_available": True}, "programs_available", "make_programs_available"),
        ({"enable_detailed_results": "True"}, "detailed", "enable_detailed_results"),
        ({"auto_run_submissions": False}, "manual_run", "auto_run_submissions"),
        ({"forum_enabled": True}, "forum", "forum_enabled"),
        ({"competition_type": "benchmark"}, "benchmark", "competition_type"),
        ({"solutions": [{"index": 0, "path": "s.zip", "tasks": [0]}]}, "solutions", "solutions"),
        ({"surprise": 1}, "unknown", "surprise"),
        ({"terms": None}, "no_terms", "terms"),
    ],
)
def test_keys_without_a_place_are_named(changed, code, where):
    assert left_out(bundle(whole(**changed)))[code] == where


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"starting_kit": "kit"}, "starting_kit"),
        ({"public_data": "data.zip"}, "public_data"),
        ({"auto_migrate_to_this_phase": True}, "migration"),
        ({"hide_output": True}, "hidden_output"),
        ({"accepts_only_result_submissions": True}, "only_results"),
        ({"tasks": None}, "no_tasks"),
        ({"surprise": 1}, "unknown"),
    ],
)
def test_keys_of_phases_without_a_place_are_named(changed, code):
    assert left_out(bundle(with_phase(1, **changed)))[code].startswith("phases[2]")


def test_what_is_stored_at_codabench_is_named():
    key = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    assert left_out(bundle(whole(tasks=[{"index": 0, "key": key}])))["task_key"] == "tasks[1].key"
    content = whole(tasks=[{"index": 0, "scoring_program": key}])
    assert left_out(bundle(content))["program_key"] == "tasks[1].scoring_program"
    assert read(bundle(content)).program is None


def test_code_and_further_tasks_are_named():
    more = {"index": 1, "name": "More", "scoring_program": "other", "ingestion_program": "run"}
    made = with_phase(1, tasks=[1]) | {"tasks": [*WHOLE["tasks"], more]}
    found = left_out(bundle(made, FILES | {"other/a.py": b"1"}))
    assert found["code"] == "tasks[2].ingestion_program"
    assert found["other_program"] == found["no_command"] == "tasks[2].scoring_program"
    assert "tasks" in found
    same = FILES | {name.replace("scoring_program", "other"): data for name, data in FILES.items()}
    assert "other_program" not in left_out(bundle(made, same))


def test_boards_and_columns_without_a_place_are_named():
    made = whole()
    columns = made["leaderboards"][0]["columns"]
    slow = {"computation": "max", "computation_indexes": [1], "sorting": "asc"}
    columns.append({"title": "Slowest", "key": "slowest", "index": 2} | slow)
    made["leaderboards"].append({"title": "More", "key": "more", "columns": columns})
    made["leaderboards"][0]["hidden"] = True
    found = left_out(bundle(made))
    assert found["computation"] == "leaderboards[1].columns[3]"
    assert found["leaderboards"] == "leaderboards[2]"
    assert found["hidden_board"] == "leaderboards[1].hidden"
    assert all(column.is_hidden for column in read(bundle(made)).leaderboard.columns)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("表".encode("cp932"), "page_unreadable"),
        (b" ", "page_empty"),
        (b"x" * 300_000, "page_unreadable"),
    ],
)
def test_pages_that_cannot_be_shown_are_named(data, code):
    files = FILES | {"pages/overview.md": data}
    assert left_out(bundle(files=files))[code] == "pages[1].file"
    assert [page.title for page in read(bundle(files=files)).pages] == ["Data"]


def test_a_program_without_a_command_is_named():
    for metadata in (b"", b"command: [1]", b"\xff", b"a: b: c"):
        files = FILES | {"scoring_program/metadata.yaml": metadata}
        assert "no_command" in left_out(bundle(files=files))


# CodaLab 1.5


OLD = """
title: Old Towns
description: Towns again
image: logo.png
has_registration: True
end_date: 2031-05-01
html: {overview: pages/overview.md, terms: pages/terms.md}
phases:
  1: {phasenumber: 1, label: First, start_date: 2031-03-01, max_submissions: 9,
      scoring_program: program.zip, reference_data: reference.zip}
  2: {phasenumber: 2, label: Second, start_date: 2031-04-01 06:00:00, scoring_program: program.zip}
leaderboard:
  leaderboards:
    RESULTS: &RESULTS {label: Results, rank: 1}
  columns:
    slow.s: {leaderboard: *RESULTS, label: Seconds, rank: 2, sort: asc, numeric_format: 4}
    kept: {leaderboard: *RESULTS, label: Kept, rank: 1}
"""


def test_a_bundle_of_codalab_is_read():
    packed = zipped(("metadata", COMMAND.encode()), ("score.py", b""))
    data = bundle(OLD, FILES | {"program.zip": packed})
    found = read(data)
    assert [(p.name, p.starts_at.day, p.ends_at.hour, p.in_all) for p in found.phases] == [
        ("First", 1, 6, 9),
        ("Second", 1, 0, 100),
    ]
    assert [(c.key, c.title, c.direction, c.precision) for c in found.leaderboard.columns] == [
        ("kept", "Kept", "higher", 2),
        ("slow.s", "Seconds", "lower", 4),
    ]
    assert (found.terms, [page.title for page in found.pages]) == ("Be fair.", ["overview"])
    assert found.program.files == ("metadata", "score.py")
    assert left_out(data) == {
        "version_15": "version",
        "reference_data": "phases.1.reference_data",
        "tasks": "tasks",
        "image": "image",
        "registration": "has_registration",
    }


# Broken


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"title": None}, "title — the key is missing — expected a text"),
        ({"title": ["a"]}, "title — a wrong value — expected a text — got “['a']”"),
        ({"title": "\x00 "}, "title — the value is empty — expected a text"),
        ({"version": 3}, "version — another version"),
        ({"phases": None}, "phases — the key is missing — expected a list"),
        ({"phases": []}, "phases — nothing is listed — expected at least one"),
        ({"phases": "one"}, "phases — a wrong value — expected a list"),
        ({"phases": [1]}, "phases — a wrong value — expected a list"),
        ({"phases": WHOLE["phases"] * 11}, "phases — too many — expected at most 20 — got 22"),
        ({"tasks": [{"index": 0}, {"index": 0}]}, "tasks[2].index — another one has the same"),
        ({"pages": [{"title": "A"}]}, "pages[1].file — the key is missing — expected a file"),
        ({"pages": [{"title": "A", "file": "x.md"}]}, "pages[1].file — the bundle does not have"),
        ({"pages": [{"title": "A", "file": "../x"}]}, "pages[1].file — the bundle does not have"),
        ({"terms": 5}, "terms — a wrong value — expected a file of the bundle — got “5”"),
        ({"leaderboards": None}, "leaderboards — the key is missing"),
        ({"leaderboards": [{"title": "A"}]}, "leaderboards[1].columns — the key is missing"),
        ({"leaderboards": {"a": 1}}, "leaderboards — a wrong value"),
        ({"registration_auto_approve": "maybe"}, "registration_auto_approve — a wrong value"),
    ],
)
def test_wrong_keys_are_named(changed, expected):
    found = problems(bundle(whole(**changed)))
    assert [line for line in found if line.startswith(expected)], found


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"name": None}, "phases[1].name — the key is missing"),
        ({"start": None}, "phases[1].start — the key is missing — expected a date and a time"),
        (
            {"start": "soon"},
            "phases[1].start — a wrong value — expected a date and a time of the years",
        ),
        ({"start": 5}, "phases[1].start — a wrong value"),
        ({"start": "0001-01-01"}, "phases[1].start — a wrong value"),
        ({"end": "9999-12-31T23:59:59-12:00"}, "phases[1].end — a wrong value"),
        ({"end": None}, "phases[1].end — only the last phase may be without an end"),
        ({"end": "2031-03-01"}, "phases[1].end — the phase ends before it begins"),
        ({"end": "2031-04-17"}, "phases[2].start — the phase begins while the one before is open"),
        (
            {"max_submissions": -1},
            "phases[1].max_submissions — a wrong value — expected a whole number",
        ),
        ({"max_submissions": "many"}, "phases[1].max_submissions — a wrong value"),
        ({"max_submissions_per_day": True}, "phases[1].max_submissions_per_day — a wrong value"),
        ({"max_submissions_per_day": 10**30}, "phases[1].max_submissions_per_day — a wrong value"),
        ({"execution_time_limit": 1.5}, "phases[1].execution_time_limit — a wrong value"),
        (
            {"tasks": [7]},
            "phases[1].tasks — a wrong value — expected the index of one of the tasks",
        ),
        ({"tasks": [[1]]}, "phases[1].tasks — a wrong value — expected a list of indexes"),
        ({"hide_output": []}, "phases[1].hide_output — a wrong value — expected true or false"),
    ],
)
def test_wrong_phases_are_named(changed, expected):
    found = problems(bundle(with_phase(0, **changed)))
    assert [line for line in found if line.startswith(expected)], found


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"key": None}, "leaderboards[1].columns[1].key — the key is missing"),
        ({"key": "seconds"}, "leaderboards[1].columns — another one has the same"),
        (
            {"sorting": "up"},
            "leaderboards[1].columns[1].sorting — a wrong value — expected asc or desc",
        ),
        ({"precision": "two"}, "leaderboards[1].columns[1].precision — a wrong value"),
    ],
)
def test_wrong_columns_are_named(changed, expected):
    found = problems(bundle(with_column(**changed)))
    assert [line for line in found if line.startswith(expected)], found


@pytest.mark.parametrize(
    ("computation", "indexes", "expected"),
    [
        ("avg", [0, 1], ("mean", ("kept", "seconds"))),
        ("sum", ["0"], ("sum", ("kept",))),
        ("max", [0, 9], None),
        ("max", [2], None),
        ("max", None, None),
        ("median", [0], None),
    ],
)
def test_columns_may_be_computed_of_others(computation, indexes, expected):
    made = whole()
    column = {"key": "c", "computation": computation, "computation_indexes": indexes, "index": 2}
    made["leaderboards"][0]["columns"].append(column)
    found = {c.key: (c.of, c.parts) for c in read(bundle(made)).leaderboard.columns}
    assert found.get("c") == expected
    assert ("computation" in left_out(bundle(made))) is (expected is None)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("4-1-2031", (4, 1)),
        ("04/01/2031 00:30", (4, 1)),
        ("13.4.2031", (4, 13)),
        ("2031-4-1 0:30", (4, 1)),
    ],
)
def test_dates_are_read_as_codabench_reads_them(start, expected):
    data = bundle(with_phase(0, start=start))
    found = read(data).phases[0].starts_at
    assert (found.month, found.day) == expected
    assert ("date_order" in left_out(data)) is start.endswith(("31", "00:30"))


def test_of_a_key_that_stands_twice_the_last_counts():
    data = bundle("title: First\n" + yaml.safe_dump(WHOLE))
    assert read(data).title == "Hide the Towns"
    assert left_out(data)["yaml_twice"].startswith("competition.yaml, line ")


def test_an_old_competition_ends_after_its_last_phase():
    packed = zipped(("metadata", COMMAND.encode()), ("score.py", b""))
    text = OLD.replace("end_date: 2031-05-01", "end_date: 2031-03-15")
    (found,) = problems(bundle(text, FILES | {"program.zip": packed}))
    assert found.startswith("end_date — the phase ends before it begins")
    text = OLD.replace("2031-04-01 06", "2031-02-01 06")
    (found,) = problems(bundle(text, FILES | {"program.zip": packed}))
    assert found.startswith("phases.1.end — the phase ends before it begins")


def test_a_board_of_computed_columns_only_is_refused():
    made = whole()
    for column in made["leaderboards"][0]["columns"]:
        column["computation"] = "sum"
    assert problems(bundle(made)) == [
        "leaderboards[1].columns — no column has a value that the scoring program writes — expected a column "
        "without “computation”"
    ]


def test_all_problems_are_named_together():
    made = with_phase(0, start="soon") | {"title": None}
    assert len(problems(bundle({k: v for k, v in made.items() if v is not None}))) == 2


# Hostile


def bomb(n: int) -> str:
    levels = "\n".join(
        f"a{i}: &a{i} [{', '.join(f'*a{i - 1}' for _ in range(9))}]" for i in range(1, n)
    )
    return f"a0: &a0 [x, x, x]\n{levels}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (bomb(12), "too many values, those that aliases repeat included"),
        ("a: &a [*a]", "keys stand too deep in each other"),
        ("[" * 5_000, "keys stand too deep in each other"),
        ("a: " + "[" * 30 + "]" * 30, "keys stand too deep in each other"),
        ("a: b: c", "not YAML"),
        ("a: !!python/object/apply:os.system ['true']", "not YAML"),
        ("a: 2031-13-45", "not YAML"),
        ("a: !!int x", "not YAML"),
        ("? {a: 1}\n: b", "not YAML"),
        ("{[a]: b}", "not YAML"),
        ("a: \x07", "not YAML"),
        ("---\na: 1\n---\nb: 2", "not YAML"),
        ("", "competition.yaml — a wrong value — expected keys with values"),
        ("- a", "competition.yaml — a wrong value — expected keys with values"),
        ("title: " + "9" * 5_000, "phases — the key is missing"),
        ("version: " + "1:" * 50_000 + "1", "version — another version"),
        (
            "# " + "x" * 140_000,
            "competition.yaml — the file is too large — expected at most 128 KiB",
        ),
    ],
)
def test_hostile_yaml_is_refused(text, expected):
    assert [line for line in problems(bundle(text)) if expected in line]


def test_another_encoding_is_named():
    (found,) = problems(bundle("title: 表".encode("cp932")))
    assert found == (
        "competition.yaml — wrong character encoding — expected UTF-8 — got byte 0x95 at byte 7"
    )
    assert read(bundle(b"\xef\xbb\xbf" + yaml.safe_dump(WHOLE).encode())).title == "Hide the Towns"


def test_texts_lose_what_no_database_keeps():
    text = yaml.safe_dump(whole(title=None)) + 'title: "A\\0B\\ud800\\u202eC"\n'
    assert read(bundle(text)).title == "ABC"


def test_archives_that_cannot_be_trusted_are_refused():
    entry = zipfile.ZipInfo("../evil")
    data = zipped(("competition.yaml", b""), (entry, b""))
    assert problems(data) == [
        "cup.zip, ../evil — a path that may lead out of the archive — expected file names, or folders with “/” "
        "between their names"
    ]
    assert problems(b"not a zip") == [
        "cup.zip — not a zip archive, or a damaged one — expected a bundle of Codabench"
    ]
    assert problems(zipped(("a.txt", b""))) == [
        "cup.zip — the file is missing — expected competition.yaml, in the archive itself or in a folder of it"
    ]
    assert (
        "got a/competition.yaml, b/competition.yaml"
        in problems(zipped(("a/competition.yaml", b""), ("b/competition.yaml", b"")))[0]
    )
    many = zipped(*((f"{n}", b"") for n in range(5_001)), method=zipfile.ZIP_STORED)
    assert "too many files — expected at most 5000" in problems(many)[0]
    bomb = zipped(("competition.yaml", b" " * 50_000_000))
    assert "the file is too large" in problems(bomb)[0]


def test_only_what_is_needed_is_unpacked():
    files = FILES | {"reference_data/truth.csv": b"1" * 70_000_000}
    assert read(bundle(files=files)).title == "Hide the Towns"
    files = FILES | {"scoring_program/big": b"1" * 20_000_000}
    assert (
        "tasks[1].scoring_program — the file cannot be unpacked" in problems(bundle(files=files))[0]
    )


def test_a_broken_program_is_named():
    content = whole(tasks=[{"index": 0, "scoring_program": "program.zip"}])
    for data in (b"no zip", bundle()[:-30], zipped(("../a", b""))):
        (found,) = problems(bundle(content, FILES | {"program.zip": data}))
        assert found.startswith("tasks[1].scoring_program — the file cannot be unpacked")
    (found,) = problems(bundle(content))
    assert found.startswith("tasks[1].scoring_program — the bundle does not have the file")


def test_no_change_of_a_byte_makes_a_traceback():
    data, rng = bundle(), random.Random(7)
    for _ in range(300):
        place = rng.randrange(len(data))
        problems(data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :])
    text = yaml.safe_dump(WHOLE)
    for _ in range(150):
        place = rng.randrange(len(text))
        problems(
            bundle(text[:place] + rng.choice("\"'[]{}:-&*!|>%@`#,? \n\t0z") + text[place + 1 :])
        )


@pytest.mark.parametrize("value", [None, 1, 1.5, True, "x", [], ["x"], [[]], {}, {"a": 1}, {1: {}}])
def test_no_type_of_a_value_makes_a_traceback(value):
    for key in (*WHOLE, "solutions", "fact_sheet", "competition_type", "leaderboard", "html"):
        problems(bundle(whole() | {key: value}))
    for section in ("pages", "phases", "tasks", "leaderboards"):
        for key in WHOLE[section][0]:
            made = whole()
            made[section][0][key] = value
            problems(bundle(made))
    for key in (*WHOLE["leaderboards"][0]["columns"][0], "computation", "computation_indexes"):
        problems(bundle(with_column(**{key: value})))
    old = yaml.safe_load(OLD)
    for key in old:
        problems(bundle(old | {key: value}))
    for key in old["leaderboard"]:
        problems(bundle(old | {"leaderboard": old["leaderboard"] | {key: value}}))


def test_a_yaml_reader_works_under_its_limits():
    assert yaml_text.parsed(b"a: [1, 2]", "x") == {"a": [1, 2]}
    with pytest.raises(BundleRefused):
        yaml_text.parsed(b"a: [", "x")


# Texts


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<br>b<BR/>c", "a\nb\nc"),
        ("<head><title>T</title></head><body>x", "T\nx"),
        ("İ<SCRIPT>alert(1)</Script>x<style>p{}", "İx"),
        ("1 < 2 &amp; 3 &gt; 2", "1 < 2 & 3 > 2"),
        ("<!-- <b>no</b> -->yes<!-- never ends", "yes"),
        (
            '<a class=x HREF="https://x.org/a?b=1">x</a> <a href="javascript:1">y</a>',
            "x (https://x.org/a?b=1) y",
        ),
        ("&#" + "9" * 5_000 + ";", "&#" + "9" * 5_000 + ";"),
        ("<p" + " " * 10_000, ""),
    ],
)
def test_html_becomes_text(html, expected):
    assert text_of_html(html) == expected


@pytest.mark.parametrize(
    "piece", ["<!--", "<", "<a href=", "</", "<![CDATA[", "<p><!-- ", "&#", "<script>"]
)
def test_hostile_html_takes_no_time(piece):
    text_of_html(piece * (250_000 // len(piece)))


def test_every_text_has_its_place_for_parameters():
    with override("en"):
        texts = [*map(str, PROBLEMS.values()), *map(str, EXPECTED.values())]
        texts += [str(text) for pair in LEFT_OUT.values() for text in pair]
    assert all(texts)
    assert "bundle.nested" not in PROBLEMS  # archives in a bundle are files like others


def test_problems_are_in_the_readers_language():
    with override("ja"):
        (found,) = problems(bundle(whole(title=None)))
    assert found == "title — キーがありません — 期待：文字列"


def test_the_source_may_be_a_path(tmp_path):
    from pwscup.archives.codabench.reading import read_bundle

    path = tmp_path / "cup.zip"
    path.write_bytes(bundle())
    assert read_bundle(path) == read_bundle(io.BytesIO(bundle()))
