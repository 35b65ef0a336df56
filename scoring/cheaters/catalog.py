# SPDX-License-Identifier: Apache-2.0
"""The registry of cheaters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.addresses import function_at
from scoring.catalogs import Registry

if TYPE_CHECKING:
    from scoring.anonymizers.base import Anonymized
    from scoring.cheaters import answers, tables
    from scoring.formats.sequential.series import Series
    from scoring.formats.sequential.tables import Microdata, Release
    from scoring.tables.equivalence import IntArray


@dataclass(frozen=True, slots=True)
class Cheater:
    """A player with one game: what it submits in each kind of round; None where the game is none.

    `sentence` says in English and Japanese what it does, and `rules` name the answers to it, the first one best; see
    `scoring.rulesets.answers`.
    """

    id: str
    sentence: Mapping[str, str]
    rules: tuple[str, ...] = ()
    table: Callable[[tables.Hand], Anonymized | None] | None = None
    series: Callable[[Microdata, int], Series] | None = None
    rows: answers.Guesser | None = None
    answers: answers.Answerer | None = None
    values: Callable[[Microdata, Sequence[Release]], IntArray] | None = None
    counts: Callable[[Sequence[int], int], IntArray] | None = None

    @property
    def attacks(self) -> bool:
        """It plays attack rounds; others publish tables only."""
        return bool(self.rows or self.answers or self.values)

    @property
    def publishes(self) -> bool:
        """It publishes tables or series."""
        return bool(self.table or self.series)


@dataclass(frozen=True, slots=True)
class _At:
    """A function by its address, imported at its first call: pages list cheaters without numerical libraries."""

    address: str

    def __call__(self, *given: Any, **named: Any) -> Any:
        return function_at(self.address)(*given, **named)


CHEATERS = Registry(
    "cheater",
    (
        Cheater(
            "raw",
            {
                "en": "publishes the original table unchanged",
                "ja": "元データをそのまま提出する",
            },
            ("verbatim",),
            table=_At("scoring.cheaters.tables:raw"),
            series=_At("scoring.cheaters.series:raw_series"),
        ),
        Cheater(
            "sorted",
            {
                "en": "publishes the original table sorted, with the row numbers of the unsorted one",
                "ja": "元データを並べ替え、並べ替える前の行番号を付けて提出する",
            },
            ("truth", "verbatim"),
            table=_At("scoring.cheaters.tables:sorted_rows"),
            series=_At("scoring.cheaters.series:sorted_series"),
        ),
        Cheater(
            "permuted",
            {
                "en": "publishes true records, each under the row of another record near it",
                "ja": "本物のレコードを、それぞれ近い別のレコードの行として提出する",
            },
            ("truth", "verbatim"),
            table=_At("scoring.cheaters.tables:permuted"),
        ),
        Cheater(
            "one-record",
            {
                "en": "publishes a table of copies of a few records",
                "ja": "少数のレコードを複製しただけの表を提出する",
            },
            ("verbatim",),
            table=_At("scoring.cheaters.tables:one_record"),
            series=_At("scoring.cheaters.series:one_record_series"),
        ),
        Cheater(
            "verbatim",
            {
                "en": "publishes records of other people unchanged, chosen so that the table stays useful",
                "ja": "他の人々のレコードを、有用性が保たれるように選んでそのまま提出する",
            },
            ("verbatim",),
            table=_At("scoring.cheaters.tables:verbatim"),
        ),
        Cheater(
            "constant",
            {
                "en": "gives the same answer to every question",
                "ja": "どの質問にも同じ答えを返す",
            },
            ("margin", "truth"),
            rows=_At("scoring.cheaters.answers:constant_row"),
            answers=_At("scoring.cheaters.answers:constant_answers"),
            values=_At("scoring.cheaters.series:constant_values"),
            counts=_At("scoring.cheaters.series:constant_counts"),
        ),
        Cheater(
            "sheets-only",
            {
                "en": "compares the published question sheets with one another, and opens no table",
                "ja": "公開された質問票どうしを照合するだけで、表は開かない",
            },
            ("margin",),
            answers=_At("scoring.cheaters.answers:answers_of_sheets"),
        ),
        Cheater(
            "replay",
            {
                "en": "runs the public methods with small seeds until one gives the published table",
                "ja": "公開された手法を小さなシードで次々に実行し、公開データと同じ表を再現する",
            },
            rows=_At("scoring.cheaters.answers:replayed_rows"),
        ),
        Cheater(
            "sacrificial",
            {
                "en": "attacks with the file that another team gave to it",
                "ja": "別のチームから受け取ったファイルを使って攻撃する",
            },
            ("attackers",),
            rows=_At("scoring.cheaters.answers:given_rows"),
            answers=_At("scoring.cheaters.answers:given_answers"),
        ),
    ),
)
