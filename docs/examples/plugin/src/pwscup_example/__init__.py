"""The entries of the plugin: what lists of measures, attacks and formulas show. Nothing heavy is imported here."""

from pwscup_example.formula import GEOMETRIC
from scoring.attacks.base import AMOUNTS, Attack
from scoring.registry import Measure

__all__ = ["GEOMETRIC", "NEAREST_TOTAL", "UNTOUCHED"]

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
