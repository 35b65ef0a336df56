# SPDX-License-Identifier: Apache-2.0
"""Reading the stages and rounds of a ruleset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.rulesets.base import CriterionSpec, FileSpec, RoundSpec, StageSpec
from scoring.rulesets.kinds import (
    MARKING,
    ONLY_STAGE,
    ONLY_STAGE_TITLE,
    PLAYED_BY,
    ROUND_KINDS,
    TEAMS,
    TRIES_KEYS,
    RoundKind,
    names_records,
)
from scoring.rulesets.loader_disclosure import read_epsilon
from scoring.rulesets.loader_questions import check_proportions, read_asked
from scoring.scores.options import DECLARED, TRUTHS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.rulesets.base import DataSpec, ValiditySpec
    from scoring.rulesets.document import Document

MINUTES_PER_DAY = 24 * 60
MAX_DAYS = 3_650
UNREADABLE = RoundSpec("", "", {}, {}, (), None, None, "", "", 1, stage="")
"""Stands for a round of an unknown kind, of which nothing more can be said."""


def read_stages(document: Document) -> tuple[StageSpec, ...]:
    """The stages of the season; one for the whole contest where the ruleset names none."""
    if not document.has("stage"):
        return (StageSpec(ONLY_STAGE, ONLY_STAGE_TITLE, 1.0),)
    documents = document.tables("stage")
    stages = tuple(
        StageSpec(item.short_name("key"), item.translated("title"), item.number("weight", 0, 1_000))
        for item in documents
    )
    _check_keys(documents, stages, "stage")
    if stages and not any(stage.weight for stage in stages):
        documents[0].wrong("weight", "a weight above 0 for at least one stage", 0)
    return stages


def read_rounds(
    document: Document, stages: Sequence[StageSpec], data: DataSpec, validity: ValiditySpec
) -> tuple[RoundSpec, ...]:
    """The rounds in order, each attack with the round that it attacks."""
    documents = document.tables("round")
    rounds: list[RoundSpec] = []
    for item in documents:
        rounds.append(_round(item, stages, data, validity, rounds))
    _check_keys(documents, rounds, "round")
    _check_stages(document, stages, rounds)
    _check_blank_records(document, validity, rounds)
    check_proportions(document, [spec.questions for spec in rounds], data)
    return tuple(rounds)


def _round(
    document: Document,
    stages: Sequence[StageSpec],
    data: DataSpec,
    validity: ValiditySpec,
    earlier: Sequence[RoundSpec],
) -> RoundSpec:
    kind = ROUND_KINDS.get(document.choice("kind", ROUND_KINDS))
    if kind is None:
        document.give_up()  # which other keys are right depends on the kind
        return UNREADABLE
    _check_tables(document, kind, data)
    if document.has("program"):
        expected = (
            "no program: one under [scoring.program] scores tables, and the library all other files"
        )
        document.wrong("program", expected, "a value")
        document.give_up()
    tries: dict[str, int | None] = dict.fromkeys(TRIES_KEYS)
    for key in kind.tries_keys:
        if key == kind.tries_key or document.has(key):
            tries[key] = document.integer(key, 1, 10_000)
    stage = _stage(document, stages)
    is_attack = kind.phase == "attack"
    asked = read_asked(document, kind, data)
    return RoundSpec(
        key=document.short_name("key"),
        kind=kind.id,
        title=document.translated("title"),
        description=document.translated("description"),
        files=asked.files if kind.asks_questions else _files(document, kind, data),
        counts=document.choice("counts", kind.counts),
        feedback=_feedback(document, kind),
        minutes=_minutes(document),
        stage=stage,
        attacks=_attacks(document, kind, stage, earlier) if is_attack else None,
        gives=_gives(document, kind) if is_attack else (),
        marking=_marking(document, validity) if is_attack and not kind.asks_questions else "",
        truth=_truth(document) if names_records(kind.id, asked.questions) else DECLARED,
        criteria=_criteria(document) if kind.phase == "presentation" else (),
        epsilon=read_epsilon(document) if kind.phase == "disclosure" else None,
        questions=asked.questions,
        combine=asked.combine,
        bands=asked.bands,
        by=_by(document) if kind.phase == "anonymization" else TEAMS,
        **tries,
    )


def _check_tables(document: Document, kind: RoundKind, data: DataSpec) -> None:
    fitting = [k.id for k in ROUND_KINDS.values() if data.tables in (k.formats or (data.tables,))]
    if data.tables and kind.id not in fitting:
        expected = f"one of: {', '.join(fitting)}, as data.tables is {data.tables}"
        document.wrong("kind", expected, kind.id)


def _stage(document: Document, stages: Sequence[StageSpec]) -> str:
    keys = [stage.key for stage in stages if stage.key]
    if not document.has("stage") and len(keys) == 1:
        return keys[0]
    return document.choice("stage", keys)


def _feedback(document: Document, kind: RoundKind) -> str:
    """Of an attack the first of its kind, if the ruleset does not say."""
    if kind.phase == "attack" and not document.has("feedback"):
        return kind.feedback[0]
    return document.choice("feedback", kind.feedback)


def _minutes(document: Document) -> int:
    has_days, has_minutes = document.has("days"), document.has("minutes")
    if has_days and has_minutes:
        document.wrong("minutes", "either days or minutes, not both", "both")
    if has_minutes or not has_days:
        return document.integer("minutes", 1, MAX_DAYS * MINUTES_PER_DAY)
    return document.integer("days", 1, MAX_DAYS) * MINUTES_PER_DAY


def _attacks(
    document: Document, kind: RoundKind, stage: str, earlier: Sequence[RoundSpec]
) -> str | None:
    targets = [r.key for r in earlier if r.kind and r.phase == "anonymization" and r.stage == stage]
    if document.has("attacks"):
        return document.choice("attacks", targets) or None
    if not targets and stage:
        expected = "an anonymization round before the attack on it, in the same stage"
        document.wrong("kind", expected, kind.id)
    return targets[-1] if targets else None


def _gives(document: Document, kind: RoundKind) -> tuple[str, ...]:
    return document.choices("gives", kind.gives) if document.has("gives") else kind.gives


def _by(document: Document) -> str:
    return document.choice("by", PLAYED_BY) if document.has("by") else TEAMS


def _marking(document: Document, validity: ValiditySpec) -> str:
    marking = document.choice("marking", MARKING) if document.has("marking") else MARKING[0]
    if marking == "kept_records" and not validity.blank_records:
        document.wrong("marking", "all_records, as validity.blank_records is not true", marking)
    return marking


def _truth(document: Document) -> str:
    return document.choice("truth", TRUTHS) if document.has("truth") else DECLARED


def _criteria(document: Document) -> tuple[CriterionSpec, ...]:
    documents = document.tables("criterion")
    criteria = tuple(
        CriterionSpec(item.short_name("key"), item.translated("title")) for item in documents
    )
    _check_keys(documents, criteria, "criterion of the round")
    return criteria


def _files(document: Document, kind: RoundKind, data: DataSpec) -> tuple[FileSpec, ...]:
    if data.parts and kind.phase == "anonymization":
        (file_kind,) = kind.files.values()
        return tuple(FileSpec(p.key, file_kind, p.required, p.title) for p in data.parts)
    documents = document.tables("file")
    specs = tuple(_file(item, kind) for item in documents)
    _check_keys(documents, specs, "file of the round")
    keys = [spec.key for spec in specs if spec.key]
    if specs and not set(kind.required) <= set(keys):
        document.wrong("file", f"the files {', '.join(kind.required)}", ", ".join(keys))
    return specs


def _file(document: Document, kind: RoundKind) -> FileSpec:
    key = document.choice("key", kind.files)
    file_kind = document.choice("kind", tuple(dict.fromkeys(kind.files.values())))
    if key and file_kind and kind.files[key] != file_kind:
        document.wrong("kind", kind.files[key], file_kind)
    return FileSpec(key, file_kind, document.boolean("required"), document.translated("title"))


def _check_keys(
    documents: Sequence[Document],
    specs: Sequence[StageSpec | RoundSpec | CriterionSpec | FileSpec],
    what: str,
) -> None:
    seen: set[str] = set()
    for document, spec in zip(documents, specs, strict=True):
        if spec.key and spec.key in seen:
            document.wrong("key", f"a key that no other {what} has", spec.key)
        seen.add(spec.key)


def _check_stages(
    document: Document, stages: Sequence[StageSpec], rounds: Sequence[RoundSpec]
) -> None:
    used = {spec.stage for spec in rounds}
    empty = [stage.key for stage in stages if stage.key and stage.key not in used]
    if rounds and empty and "" not in used:
        document.wrong("stage", "stages that a round names", ", ".join(empty))


def _check_blank_records(
    document: Document, validity: ValiditySpec, rounds: Sequence[RoundSpec]
) -> None:
    kinds = {spec.kind for spec in rounds}
    if validity.blank_records and "" not in kinds and "aligned-anonymization" not in kinds:
        expected = "false, as no round has the kind aligned-anonymization"
        document.wrong("validity.blank_records", expected, "true")
