"""Bots that answer sheets of questions from the nearest published records, or by the most frequent value."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pwscup.contests.selectors import dataset_of
from pwscup.core.files import storage
from pwscup.formats.attacks.archives import records_of
from pwscup.formats.common.bots import attacked
from scoring.errors import Collector
from scoring.questions.attackers import ATTACKERS, read_sheet
from scoring.questions.files import write_answers
from scoring.tables.archives import Archive, Limits

if TYPE_CHECKING:
    from pwscup.bots.cast import Bot
    from pwscup.contests.models import Round
    from pwscup.formats.playing import Files, Turn
    from pwscup.submissions.models import Release
    from scoring.tables.schema import Schema

LIMITS = Limits(1_000, 10**9, 10**9)


class Answerer:
    """A bot answers every question of a release by its attacker."""

    draws = True

    def known(self, round: Round) -> Schema:
        return dataset_of(round.contest).schema.public()

    def files(self, turn: Turn) -> Files:
        """An answer file for each question."""
        (release, _seed), schema = attacked(turn), turn.known
        records, lines, _n_lines = records_of(release, schema)
        published, sheets = records.to_frame(), sheets_of(release)
        attacker = ATTACKERS[turn.bot.answers]
        files: Files = {}
        for question in turn.round.spec.questions:
            sheet = read_sheet(sheets[question.key], question, schema)
            answers = attacker(question, sheet, published, schema, lines)
            name = f"{question.key}_{release.team.slug}.csv"
            files[question.key] = (name, write_answers(answers, question, schema))
        return files

    def note(self, bot: Bot) -> str:
        return bot.answers


def sheets_of(release: Release) -> dict[str, bytes]:
    """The sheets that were published with a release, by question."""
    if release.candidates is None:
        raise LookupError(f"release {release.pk} has no questions")
    packed = Archive(io.BytesIO(storage.read(release.candidates)), LIMITS, name="questions.zip")
    return {
        entry.shown.removesuffix(".csv"): b"".join(entry.chunks())
        for entry in packed.files(Collector())
    }


ANSWERS = Answerer()
