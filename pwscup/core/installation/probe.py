# SPDX-License-Identifier: Apache-2.0
"""A check that all processes of an installation share the data folder: the database names a file in it."""

from __future__ import annotations

import logging
import uuid

from django.conf import settings
from django.db import DatabaseError

from pwscup.core.files import storage
from pwscup.core.models import StorageProbe, StoredFile

logger = logging.getLogger(__name__)
N_FILES = 5


def ensure() -> None:
    """Create the file if the installation has none; called by the first process: the web server, or `prepare`.

    Raises
    ------
    SystemExit
        Where the folder is not the shared one.
    """
    refuse_foreign_folder()
    probe, _ = StorageProbe.objects.get_or_create(pk=1, defaults={"token": uuid.uuid4()})
    storage.write_probe(str(probe.token))


def is_shared() -> bool | None:
    """This process sees the shared folder; None if the installation has no files yet.

    A folder that was restored without the file is recognized by the newest stored files.
    """
    token = StorageProbe.objects.values_list("token", flat=True).first()
    if token is not None and storage.has_probe(str(token)):
        return True
    newest = StoredFile.objects.filter(erased_at=None).order_by("-pk")[:N_FILES]
    found = [storage.is_there(file) for file in newest]
    return any(found) if found else None if token is None else False


def refusal() -> str | None:
    """An error message if the folder is not the shared one."""
    if is_shared() is not False:
        return None
    return (
        f"PWSCUP_DATA_DIR: {settings.DATA_DIR} is not the folder that this installation's database knows. Every "
        "process needs the same folder: mount it here, or name another database."
    )


def refuse_foreign_folder() -> None:
    """End this process if it would score against files that it does not have.

    Raises
    ------
    SystemExit
        With an error message.
    """
    try:
        words = refusal()
    except DatabaseError as error:  # unavailable, or without its tables yet
        logger.warning("the data folder is not checked: %s", type(error).__name__)
        return
    if words is not None:
        logger.critical(words)
        raise SystemExit(words)
