# SPDX-License-Identifier: Apache-2.0
"""Uploads from browsers: archives unpacked under limits, guesses matched to their targets.

No path, declared size or declared count is trusted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, cast

from django.core.exceptions import ValidationError
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from pwscup.core.files.names import plain_name
from pwscup.core.texts.parts import listed
from pwscup.core.texts.problems import SEPARATOR
from pwscup.core.texts.problems import parts as worded
from scoring.errors import Collector, Problem, ProblemsFound
from scoring.tables.archives import Archive, Limits
from scoring.tables.archives import matched as named_as

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

MAX_ENTRIES = 300
MAX_UNPACKED_BYTES = 100 * 1024 * 1024
MAX_NAMES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Part:
    """One received file: its display name, its counted size, and its bytes, which can be read repeatedly."""

    name: str
    size_bytes: int
    chunks: Callable[[], Iterable[bytes]]


def limited(upload: UploadedFile, max_bytes: int) -> Part:
    """The upload as a part; ValidationError if it is too large."""
    if (upload.size or 0) > max_bytes:
        raise _too_large(plain_name(upload.name), upload.size or 0, max_bytes)
    return Part(plain_name(upload.name), upload.size or 0, upload.chunks)


def _too_large(name: str, size: int, max_bytes: int) -> ValidationError:
    return ValidationError(
        _("“%(name)s” is too large — expected at most %(expected)s — got %(got)s"),
        code="too_large",
        params={
            "name": name,
            "expected": filesizeformat(max_bytes),
            "got": filesizeformat(size),
        },
    )


# Archives


def is_zip(name: str) -> bool:
    """The file name is that of a zip archive."""
    return name.lower().endswith(".zip")


def unpacked(upload: UploadedFile, max_bytes: int) -> list[Part]:
    """The files of a zip archive, each within `max_bytes`; ValidationError lists the refused ones."""
    try:
        return parts_of(cast("IO[bytes]", upload.file), plain_name(upload.name), max_bytes)
    except ProblemsFound as refused:
        raise ValidationError([_shown(problem) for problem in refused.problems]) from refused


def parts_of(packed: IO[bytes], name: str, max_bytes: int) -> list[Part]:
    """The files of a zip archive, each within `max_bytes`.

    Raises
    ------
    scoring.errors.ProblemsFound
        All refused files.
    """
    problems = Collector()
    archive = Archive(packed, Limits(MAX_ENTRIES, MAX_UNPACKED_BYTES, max_bytes), name=name)
    entries = archive.files(problems)
    if not (entries or problems):
        problems.add("bundle.empty", file=name)
    parts = [Part(e.shown, archive.take(e, problems), e.chunks) for e in entries]
    problems.raise_if_any()
    return parts


def _shown(problem: Problem) -> ValidationError:
    return ValidationError(SEPARATOR.join([problem.file or "", *worded(problem)]), problem.code)


# Guesses and their targets


def target_of(name: str, slugs: Iterable[str], *, own: str = "") -> str | None:
    """The team named in the name of a guess file, in any folder.

    `<slug>.csv`, `attack_<slug>.csv`, or, with the team `own`, `team<own>_attack_team<slug>.csv`.
    """
    path = PurePosixPath(name.lower())
    if path.suffix != ".csv":
        return None
    return by_stem(slugs, own=own).get(path.stem)


def by_stem(slugs: Iterable[str], *, own: str = "") -> dict[str, str]:
    """The slug of each target by the names of its guess files, without their suffix."""
    slugs = list(slugs)
    forms = ["{}", "attack_{}"]
    for name in (f"team{own}", own) if own else ():
        forms += [f"{name}_attack_{{}}", f"{name}_attack_team{{}}"]
    found: dict[str, str] = {}
    for form in forms:  # a team's own name comes before what it may be an ending of
        for slug in slugs:
            found.setdefault(form.format(slug), slug)
    return found


def matched(
    parts: Iterable[Part],
    targets: Mapping[str, str],
    *,
    own: str = "",
    names: Iterable[str] | None = None,
) -> dict[str, Part]:
    """Each part by the slug of its target; ValidationError lists every part without a target and every target
    with several.

    `targets` are slugs and team names; `own` is the slug of the submitting team, `names` the expected file names.
    """
    names = list(names or [f"{slug}.csv" for slug in targets])
    found: dict[str, list[Part]] = defaultdict(list)
    errors: list[ValidationError] = []
    for part in parts:
        slug = target_of(part.name, [*targets, own], own=own)
        if slug is not None and slug in targets:
            found[slug].append(part)
        else:
            errors.append(_stray(part, names, own=slug is not None))
    errors += [_twice(targets[slug], same) for slug, same in found.items() if len(same) > 1]
    if errors:
        raise ValidationError(errors)
    return {slug: same[0] for slug, same in found.items()}


def matched_tables(
    parts: Sequence[Part], keys: Sequence[str], optional: Sequence[str]
) -> tuple[dict[str, Part], list[ValidationError]]:
    """Each table that belongs to a submission by its key, and an error for each file that is missing or unfit."""
    found, problems = matched_files(parts, dict.fromkeys(keys, "csv"), optional)
    return found, [_shown(problem) for problem in problems]


def matched_files(
    parts: Sequence[Part], suffixes: Mapping[str, str], optional: Collection[str]
) -> tuple[dict[str, Part], list[Problem]]:
    """Each file that belongs to a submission by its key; files are named by their key and its suffix.

    Also a problem for each file that is missing or unfit.
    """
    problems, names = Collector(), [part.name for part in parts]
    places = named_as(names, [*suffixes], problems, optional=optional, suffixes=suffixes)
    return {key: parts[at] for key, at in places.items()}, problems.problems


Answers = dict[str, dict[str, Part]]
"""The files of each target by its slug, by the key of the file."""


def matched_answers(
    parts: Iterable[Part],
    targets: Mapping[str, str],
    keys: Sequence[str],
    split: Callable[[str, Part], Mapping[str, Part]],
    *,
    only: str = "",
) -> Answers:
    """Each answer file by its target and question; ValidationError lists the files that match none, or one twice.

    A file is named `<question>_<target>.csv`, or `<question>.csv` in a folder named like the target. A file
    `<question>.csv` in no such folder is for all targets, and `split(question, part)` makes those of each. With
    `only` files without a target are for that one, and with one question they may have any name.
    """
    found: dict[tuple[str, str], list[Part]] = defaultdict(list)
    errors: list[ValidationError] = []
    for part in parts:
        key, slug = _question_of(part.name, targets, keys, only)
        if key and slug:
            found[slug, key].append(part)
        elif key:
            try:
                for target, of_target in split(key, part).items():
                    found[target, key].append(of_target)
            except ProblemsFound as refused:
                errors += [_shown(problem) for problem in refused.problems]
        else:
            names = [f"{key}_{slug}.csv" for slug in targets for key in keys]
            errors.append(_stray(part, [*(f"{key}.csv" for key in keys), *names], own=False))
    errors += [_twice(targets[slug], same) for (slug, _), same in found.items() if len(same) > 1]
    if errors:
        raise ValidationError(errors)
    answers: Answers = defaultdict(dict)
    for (slug, key), (part,) in found.items():
        answers[slug][key] = part
    return dict(answers)


def _question_of(
    name: str, targets: Mapping[str, str], keys: Sequence[str], only: str
) -> tuple[str, str]:
    """The question and the target of an answer file; the target is empty for all, and both if there is none."""
    path = PurePosixPath(name.lower())
    folder = only or (path.parent.name if path.parent.name in targets else "")
    by_name = {key.lower(): key for key in keys}
    if path.stem in by_name:
        return by_name[path.stem], folder
    for lower, key in by_name.items():
        rest = path.stem.removeprefix(f"{lower}_")
        if rest != path.stem and rest in targets and folder in ("", rest):
            return key, rest
    if len(keys) == 1 and (slug := only or target_of(name, targets)):
        return keys[0], slug
    return "", ""


def _stray(part: Part, names: Sequence[str], *, own: bool) -> ValidationError:
    if own:
        message = _("“%(got)s” names your own team — expected guesses for the other teams' tables")
        return ValidationError(message, "own_table", {"got": part.name})
    shown = listed(names[:MAX_NAMES_SHOWN]) + (", …" if len(names) > MAX_NAMES_SHOWN else "")
    message = _("“%(got)s” matches no target — expected one of %(expected)s")
    return ValidationError(message, "unknown_target", {"got": part.name, "expected": shown})


def _twice(team: str, parts: list[Part]) -> ValidationError:
    return ValidationError(
        _("several files for %(team)s — expected one — got %(got)s"),
        "repeated_target",
        {"team": team, "got": listed(f"“{part.name}”" for part in parts)},
    )
