# SPDX-License-Identifier: Apache-2.0
"""The entries of the plugin, as lists of measures, attacks, formulas and formats show them.

Nothing heavy is imported here.
"""

from importlib.resources import files

from pwscup_example.formula import GEOMETRIC
from scoring.attacks.base import AMOUNTS, Attack
from scoring.registry import Measure
from scoring.rulesets import Format

__all__ = ["GEOMETRIC", "LESSON", "NEAREST_TOTAL", "UNTOUCHED"]

UNTOUCHED = Measure(
    id="untouched-records",
    name="untouched",
    title="Records with their original quasi-identifiers",
    summary="Share of the records that kept the quasi-identifiers of the row that they were made from.",
    address="pwscup_example.measure:untouched_records",
    family="risk",
    direction="lower",
    low=0,
    high=1,
    best="every record was changed",
    worst="none was changed",
    texts={
        "title": {
            "en": "Records with their original quasi-identifiers",
            "ja": "準識別子が元のままのレコード",
        },
        "summary": {
            "en": "Share of the records that kept the quasi-identifiers of the row that they were made from.",
            "ja": "対応する元の行と準識別子が一致するレコードの割合です。",
        },
        "best": {"en": "every record was changed", "ja": "すべてのレコードが変わった"},
        "worst": {"en": "none was changed", "ja": "どのレコードも変わっていない"},
    },
    needs_rows=True,  # so it is refused for synthetic tables, whose records were made from no certain row
)

NEAREST_TOTAL = Attack(
    id="nearest-total",
    name="nearest total",
    title="Nearest in the total of the amounts",
    address="pwscup_example.attack:guess_nearest_total",
    columns=(AMOUNTS,),
    texts={
        "title": {
            "en": "Nearest in the total of the amounts",
            "ja": "金額の合計が最も近いレコード",
        },
        "summary": {
            "en": "The original whose sum of the sensitive numbers is the nearest",
            "ja": "機微な数値の合計が最も近い元のレコード",
        },
    },
)

LESSON = Format(
    id="example-lesson",
    text=files("pwscup_example").joinpath("rules.toml").read_text(encoding="utf-8"),
    generator="pwscup_example.data:people",
    n_records=300,
    generated={
        "en": "Synthetic people with an income and a rent.",
        "ja": "収入と家賃をもつ架空の人々の合成データです。",
    },
)
