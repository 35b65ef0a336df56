# SPDX-License-Identifier: Apache-2.0
"""The page on adding a kind of round: what it shows works as it says."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from pwscup.formats import FILES, ROUNDS, attacks, kinds
from scoring.rulesets import kinds as rulesets
from tests import test_architecture

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "add-a-kind-of-round.md"
FENCE = re.compile(r"```python\n# ([^\n]*)\n(.*?)```", re.DOTALL)
pytestmark = pytest.mark.usefixtures("sent")


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """The blocks of the page by their first line, and the kind that it adds as if its files and entries were there."""
    blocks = dict(FENCE.findall(PAGE.read_text(encoding="utf-8")))

    def entry(name, module):
        return eval(blocks[name].strip().removesuffix(","), vars(module).copy())

    (tmp_path / "deletions.py").write_text(blocks["pwscup/formats/attacks/deletions.py"])
    monkeypatch.setattr(attacks, "__path__", [*attacks.__path__, str(tmp_path)])
    kind = entry("scoring/rulesets/kinds.py", rulesets)
    monkeypatch.setitem(rulesets.ROUND_KINDS, kind.id, kind)
    monkeypatch.setitem(ROUNDS, kind.id, entry("pwscup/formats/kinds.py ROUNDS", kinds))
    monkeypatch.setitem(FILES, "deleted_rows", entry("pwscup/formats/kinds.py FILES", kinds))
    yield blocks
    sys.modules.pop("pwscup.formats.attacks.deletions", None)
    vars(attacks).pop("deletions", None)


@pytest.mark.parametrize("case", [0, 1])
def test_the_test_of_the_page_passes(shown, cast, case):
    added: dict[str, object] = {}
    exec(shown["tests/web/test_deletions.py"], added)
    test = added["test_deleted_rows_are_hits"]
    test(cast, *test.pytestmark[0].args[1][case])


def test_the_kind_of_the_page_answers_every_question(shown):
    kind = rulesets.ROUND_KINDS["deletion-attack"]
    test_architecture.test_every_kind_of_round_answers_every_question(kind)
    test_architecture.test_every_kind_of_round_is_of_a_format()
