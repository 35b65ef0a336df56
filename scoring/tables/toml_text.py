# SPDX-License-Identifier: Apache-2.0
"""TOML from strangers: what the standard library reads, unless reading it would take all memory."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 64
"""Of one key. The standard library keeps every beginning of a key, so memory grows with the square of its parts."""

_PART = r"""[ \t]*(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*"""
_TOO_MANY_PARTS = re.compile(rf"(?:\.{_PART}){{{MOST_PARTS}}}")


def loads(text: str) -> dict[str, Any]:
    """The document of a TOML text.

    Parameters
    ----------
    text : str

    Returns
    -------
    dict

    Raises
    ------
    tomllib.TOMLDecodeError
        Where the text is no TOML, nests too deeply, has a number of thousands of digits, or a key of
        more than `MOST_PARTS` parts.

    Examples
    --------
    >>> loads("a.b = 1")
    {'a': {'b': 1}}
    >>> loads("a" + 100 * ".b" + " = 1")
    Traceback (most recent call last):
        ...
    tomllib.TOMLDecodeError: a key has more than 64 parts
    """
    if _TOO_MANY_PARTS.search(text):
        raise tomllib.TOMLDecodeError(f"a key has more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise tomllib.TOMLDecodeError(str(error)) from error
