# SPDX-License-Identifier: Apache-2.0
"""Contexts of the pages of rules and re-scorings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scoring
from pwscup.contests.rules.pages import preview_of
from pwscup.contests.selectors import original_of
from pwscup.core.http.polling import etag
from pwscup.core.installation import programs
from pwscup.core.texts import problems
from pwscup.rescores import diff, keys, selectors
from pwscup.rescores.coloured import coloured
from pwscup.submissions.models import Rescore
from scoring import plugins
from scoring.errors import ProblemsFound
from scoring.rulesets import parse_ruleset
from scoring.sandbox.programs import ProgramError

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from pwscup.contests.rules.pages import Rules
    from scoring.rulesets import Ruleset


def preview(contest: Contest, text: str, found: ProblemsFound | None = None) -> dict[str, Any]:
    """A preview of the rules page, or the problems of the text."""
    try:
        if found is None:
            ruleset = parse_ruleset(text)
            rules = _as_it_would_be(contest, ruleset)
            page = {"rules": rules, "problems": (), "n_problems": 0}
            return page | _compared(contest, text) | _foreign(ruleset)
    except ProblemsFound as error:
        found = error
    shown = problems.shown(found.problems, {})
    return {"rules": None, "problems": shown, "n_problems": found.n_total}


def _compared(contest: Contest, text: str) -> dict[str, Any]:
    """The text with colours, and what differs from the rules in force."""
    changes = keys.changes_between(contest.ruleset_text, text)
    return {"coloured": coloured(text), "changes": changes}


def _foreign(ruleset: Ruleset) -> dict[str, Any]:
    """The plugins that rules name, and their program: its digest, or why it cannot run, and what its sandbox lacks."""
    return {"plugins": plugins.used(ruleset)} | _program(ruleset)


def _program(ruleset: Ruleset) -> dict[str, Any]:
    if ruleset.program is None:
        return {}
    name = ruleset.program.name
    try:
        return {
            "program": {
                "name": name,
                "digest": programs.allowed(name).digest,
                "lacking": programs.lacking(),
            }
        }
    except ProgramError as error:
        return {"program": {"name": name, "fault": str(error)}}


def _as_it_would_be(contest: Contest, ruleset: Ruleset) -> Rules:
    dataset = original_of(contest)
    schema = dataset.schema if dataset else None
    return preview_of(ruleset, schema=schema, max_team_size=contest.max_team_size)


def state_of(rescore: Rescore | None) -> dict[str, Any]:
    """The progress of a re-scoring."""
    if rescore is None:
        return {}
    share = round(100 * rescore.n_done / max(1, rescore.n_total))
    return {
        "share": share,
        "is_final": rescore.is_final,
        "etag": etag(rescore.pk, rescore.state, rescore.n_done, rescore.n_total),
    }


def difference(rescore: Rescore | None) -> dict[str, Any]:
    """The effect of applying it; empty before everything is computed."""
    if rescore is None or rescore.state != Rescore.State.DONE:
        return {"boards": ()}
    return {
        "boards": diff.boards(rescore),
        "changed": diff.submissions(rescore),
        "n_missing": selectors.missing(rescore).count(),
    }


def library(contest: Contest) -> dict[str, Any]:
    """The installed version of the library, and those of the current results."""
    made_by = list(selectors.scored_by(contest))
    installed = scoring.__version__
    return {"installed": installed, "made_by": made_by, "is_newer": made_by != [installed]}
