# SPDX-License-Identifier: Apache-2.0
"""The table released once: every record Pk-anonymized, in a random order."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from scoring.formats.disclosure.attributes import (
    Attribute,
    Codes,
    codes_of,
    schema_of,
    sizes_of_attributes,
)
from scoring.privacy.accounting import checked_decimal
from scoring.privacy.post_randomization import randomize, rho_of
from scoring.privacy.sampling import Randomness
from scoring.tables.reading import read_records


def rho_at(epsilon: Decimal, attributes: Sequence[Attribute]) -> float:
    """The ρ of a release of all these columns at ε; it is public.

    Examples
    --------
    >>> sex, age = Attribute("sex", ("F", "M")), Attribute("age", tuple("1234567"))
    >>> round(rho_at(Decimal(1), [sex, age]), 5)
    0.13346
    """
    nearest = float(checked_decimal(epsilon))
    # No float above ε, however little: it is a promise.
    below = nearest if Fraction(nearest) <= Fraction(epsilon) else math.nextafter(nearest, 0)
    return rho_of(below, sizes_of_attributes(attributes))


def release_csv(
    codes: Codes, attributes: Sequence[Attribute], epsilon: Decimal, randomness: Randomness
) -> bytes:
    """Every value kept with probability ρ and else replaced by any of its column; the lines shuffled.

    Parameters
    ----------
    codes
        The records, of shape (n, W).
    attributes
        All W columns, which are released together.
    epsilon
        The ε of the release for a record, all columns together: above 0, at most six decimal
        places.
    randomness
        `sampling.secure()`, unless it is an experiment.

    Returns
    -------
    bytes
        CSV: the columns' names, and one line for each record.

    Raises
    ------
    ValueError
        ε is none of a contest, or the records lie outside the domain.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    §2.2.1.

    Examples
    --------
    >>> from scoring.privacy.sampling import secure
    >>> codes = np.array([[1], [1]], dtype=np.uint8)
    >>> release_csv(codes, [Attribute("sex", ("F", "M"))], Decimal(1000), secure())
    b'sex\\nM\\nM\\n'
    """
    rho = rho_at(epsilon, attributes)
    released = randomize(codes, sizes_of_attributes(attributes), rho, randomness)
    released = released[_order(len(released), randomness)]
    columns = [
        np.array(attribute.values, dtype=object)[released[:, w]].tolist()
        for w, attribute in enumerate(attributes)
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([attribute.name for attribute in attributes])
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue().encode()


def _order(n: int, randomness: Randomness) -> NDArray[np.int64]:
    """Any order of n lines, each as likely as every other: that of n random numbers that differ."""
    while len(np.unique(numbers := randomness.words(n))) < n:
        pass
    return np.argsort(numbers)


def read_release(data: bytes, attributes: Sequence[Attribute]) -> Codes:
    """The records of a released table, or of any table of these columns in this order.

    Raises
    ------
    ProblemsFound
        All problems, as `scoring.tables.reading.read_records` finds them.

    Examples
    --------
    >>> read_release(b"sex\\nM\\nF\\n", [Attribute("sex", ("F", "M"))]).tolist()
    [[1], [0]]
    """
    return codes_of(read_records(data, schema_of(attributes), file="release"), attributes)
