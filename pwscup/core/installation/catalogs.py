# SPDX-License-Identifier: Apache-2.0
"""Message catalogues: .mo files are compiled from .po files if they are missing or older."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from django.conf import settings

logger = logging.getLogger(__name__)


def compile_catalogs() -> int:
    """Compile every changed catalogue, without GNU gettext; return their number."""
    sources = (po for folder in settings.LOCALE_PATHS for po in Path(folder).rglob("*.po"))
    return sum(_compile(po) for po in sources if _is_newer(po, po.with_suffix(".mo")))


def _is_newer(po: Path, mo: Path) -> bool:
    return not mo.exists() or mo.stat().st_mtime < po.stat().st_mtime


def _compile(po: Path) -> bool:
    """An unreadable catalogue does not prevent the start: its language stays as it was."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import PoFileError, read_po

    try:
        with po.open("rb") as source:
            catalog = read_po(source, locale=po.parent.parent.name, abort_invalid=True)
    except PoFileError as error:
        logger.error("%s is not compiled: %s, line %s", po, error, error.lineno)
        return False
    beside = po.with_suffix(f".{os.getpid()}.part")
    with beside.open("wb") as target:
        write_mo(target, catalog)
    beside.replace(po.with_suffix(".mo"))
    return True
