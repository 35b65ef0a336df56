"""The entry of the measure: what lists of measures show. Nothing heavy is imported here."""

from scoring.registry import Measure

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
        }
    },
)
