# SPDX-License-Identifier: Apache-2.0
"""Bots that answer sheets of questions from the nearest published records, or by the most frequent value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.contests.selectors import dataset_of
from pwscup.formats.attacks.archives import records_of
from pwscup.formats.attacks.sheets import sheets_of
from pwscup.formats.common.bots import attacked
from pwscup.formats.common.cheats import target_of
from scoring.cheaters import CHEATERS
from scoring.cheaters.answers import constant_answers
from scoring.questions.attackers import ATTACKERS, read_sheet
from scoring.questions.files import write_answers

if TYPE_CHECKING:
    from pwscup.bots.cast import Bot
    from pwscup.contests.models import Round
    from pwscup.formats.playing import Files, Turn
    from scoring.tables.schema import Schema


class Answerer:
    """A bot answers every question of a release by its attacker."""

    draws = True

    def known(self, round: Round) -> Schema:
        return dataset_of(round.contest).schema.public()

    def files(self, turn: Turn) -> Files | None:
        """An answer file for each question."""
        (release, _seed), schema = attacked(turn), turn.known
        records, lines, _n_lines = records_of(release, schema)
        published, sheets = records.to_frame(), sheets_of(release)
        attacker, cheater = ATTACKERS[turn.bot.answers], CHEATERS.get(turn.bot.cheat)
        if cheater:
            none = published[:0]
            target = target_of(turn, release, schema, known=none, seen=published, places=lines)
        files: Files = {}
        for question in turn.round.spec.questions:
            sheet = read_sheet(sheets[question.key], question, schema)
            if cheater:
                answers = cheater.answers and cheater.answers(question, target)
            else:
                answers = attacker(question, sheet.known, published, schema, lines)
            if answers is None and cheater and cheater.answers and question.required:
                answers = constant_answers(question, target)
            if answers is None:
                continue
            written = write_answers(answers, question, schema, asked=sheet.asked)
            files[question.key] = (f"{question.key}_{release.team.slug}.csv", written)
        return files or None

    def note(self, bot: Bot) -> str:
        return bot.cheat or bot.answers


ANSWERS = Answerer()
