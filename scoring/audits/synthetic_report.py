# SPDX-License-Identifier: Apache-2.0
"""An audit of a synthetic table as plain values, and as one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from scoring.audits.numbers import percent
from scoring.audits.report import all_measures, comparisons
from scoring.audits.summary import of_disclosure, of_membership
from scoring.audits.synthetic import SyntheticAudit
from scoring.errors import gettext_noop as _
from scoring.reporting.document import Translate, document, table
from scoring.reporting.style import STYLE

COPIES = _(
    "%(n)s records of the synthetic table (%(share)s) are copies of a record of the original."
)


def summary(audit: SyntheticAudit) -> dict[str, Any]:
    """Everything that an audit found, as plain values.

    Examples
    --------
    >>> from scoring.audits.synthetic import audit
    >>> from scoring.examples import SCHEMA, table
    >>> found = summary(audit(table("original"), table("noise"), SCHEMA))
    >>> found["n_copies"], found["membership"], found["measures"]["S1"]
    (0, None, 2)
    """
    return {
        "n_original": audit.n_original,
        "n_anonymized": audit.n_anonymized,
        "n_copies": audit.n_copies,
        "measures": dict(audit.values),
        "disclosures": {name: of_disclosure(d) for name, d in audit.disclosures.items()},
        "membership": None if audit.membership is None else of_membership(audit.membership),
    }


def report(
    audit: SyntheticAudit,
    facts: Mapping[str, str],
    *,
    language: str = "en",
    translate: Translate = str,
) -> str:
    """The page.

    Parameters
    ----------
    audit : SyntheticAudit
    facts : mapping of str to str
        Its provenance: shown unchanged at the end.
    language : str
        The language of what `translate` returns.
    translate : callable
        From English texts to the reader's language.

    Examples
    --------
    >>> from scoring.audits.synthetic import audit
    >>> from scoring.examples import SCHEMA, table
    >>> page = report(audit(table("original"), table("noise"), SCHEMA), {"file": "a.csv"})
    >>> "0 records of the synthetic table" in page, "a.csv" in page
    (True, True)
    """
    t = translate
    title = t(_("Audit of a synthetic table"))
    counts = t(_("%(synthetic)s synthetic records, from an original of %(original)s.")) % {
        "synthetic": f"{audit.n_anonymized:,}",
        "original": f"{audit.n_original:,}",
    }
    share = audit.n_copies / audit.n_anonymized
    copies = t(COPIES) % {"n": f"{audit.n_copies:,}", "share": percent(share)}
    parts = [
        f"<header><h1>{escape(title)}</h1><p>{escape(counts)}</p></header>",
        f'<section class="verdict"><p>{escape(copies)}</p></section>',
        comparisons(audit.disclosures, audit.membership, t),
        all_measures(audit.values, t),
        table(
            t(_("Where this comes from")), [], ((escape(k), escape(v)) for k, v in facts.items())
        ),
    ]
    body = "\n".join(part for part in parts if part)
    return document(title, STYLE, f"<main>\n{body}\n</main>\n", language=language)
