# SPDX-License-Identifier: Apache-2.0
"""Terms of participation: the default text, and the digest under which they are accepted."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from django.template.loader import render_to_string
from django.utils import translation

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

LANGUAGES = {"terms": "en", "terms_ja": "ja"}


def default_terms() -> dict[str, str]:
    """Default terms in both languages, which an organizer may keep or change."""
    return {
        field: render_to_string(f"contests/default_terms.{language}.txt").strip()
        for field, language in LANGUAGES.items()
    }


def has_terms(contest: Contest) -> bool:
    return bool(contest.terms or contest.terms_ja)


def digest_of(contest: Contest) -> str:
    """The digest of the current terms in both languages."""
    both = f"{contest.terms}\0{contest.terms_ja}"
    return hashlib.sha256(both.encode()).hexdigest()


def local_terms(contest: Contest) -> str:
    """The terms in the reader's language, or in the only available one."""
    first, second = contest.terms, contest.terms_ja
    if translation.get_language() == "ja":
        first, second = second, first
    return first or second
