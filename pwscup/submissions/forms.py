# SPDX-License-Identifier: Apache-2.0
"""Forms of a team: the files of a round, and a note."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from pwscup.contests.selectors import dataset_of
from pwscup.core.texts.parts import listed
from pwscup.formats import FILES
from pwscup.formats.files import EMPTY
from pwscup.submissions import selectors
from pwscup.submissions.intake import uploads
from pwscup.submissions.models import Submission
from pwscup.submissions.services import REFUSALS
from scoring.rulesets.base import ONCE, localized
from scoring.rulesets.kinds import MODEL_FILE

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile
    from django.utils.functional import _StrPromise

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.formats.files import FileFormat
    from pwscup.submissions.intake.uploads import Part
    from scoring.rulesets.base import FileSpec

FOR_TEAM, ORIGINAL, TABLES = "for_team", "original", "tables"
ACCEPT_GUESSES = ".csv,.zip,text/csv,application/zip"


class NoteForm(forms.ModelForm):
    """A note of a team about one of its submissions."""

    status: int = HTTPStatus.UNPROCESSABLE_ENTITY
    """The id of the element with its errors."""

    class Meta:
        model = Submission
        fields = ["note"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.further():
            field.field.widget.attrs.setdefault("class", "form-control")

    def said(self) -> dict[str, Any]:
        """The team's statements about a submission, by field."""
        return {name: self.cleaned_data[name] for name in self._meta.fields or ()}

    def further(self) -> list[forms.BoundField]:
        """The fields next to the note; `_note_field.html` shows them."""
        return [self[name] for name in self._meta.fields or () if name != "note"]


class UploadForm(NoteForm):
    """Files with a note. The nonce identifies a form that is sent twice."""

    nonce = forms.CharField(
        required=False, max_length=64, widget=forms.HiddenInput(attrs={"id": False})
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["nonce"].initial = secrets.token_hex(16)


class TableForm(UploadForm):
    """The files of a round without targets, one field each; for organizers also which of the platform's `teams` they
    submit for, and if teams have several originals, which one."""

    def __init__(
        self,
        round: Round,
        specs: Iterable[FileSpec],
        *args: Any,
        teams: Iterable[Team] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.teams = {team.slug: team for team in teams}
        self.max_bytes = selectors.max_file_bytes(round)
        self.specs = {spec.key: spec for spec in specs}
        self.keys = [*self.specs]
        self.asks_model = any(spec.kind == MODEL_FILE for spec in self.specs.values())
        self.has_parts = is_in_parts(round)
        data = round.contest.ruleset.data
        self.expected = [(f"{key}.csv", data.columns_of(key)) for key in self.keys]
        if self.has_parts:
            self.fields[TABLES] = SeveralFilesField(
                label=_("Tables of this submission"),
                allow_empty_file=True,
                widget=SeveralFilesInput(
                    attrs={"accept": ACCEPT_GUESSES, "data-max-bytes": settings.MAX_UPLOAD_BYTES}
                ),
                error_messages={"required": _("Choose a file.")},
            )
        else:
            for spec in self.specs.values():
                self.fields[spec.key] = _file_field(spec, self.max_bytes)
        if self.teams:
            named = [(slug, team.name) for slug, team in self.teams.items()]
            widget = forms.Select(attrs={"class": "form-select"})
            self.fields[FOR_TEAM] = forms.ChoiceField(
                label=_("Team of the platform"), choices=named, widget=widget
            )
        if field := original_field(round):
            self.fields[ORIGINAL] = field
        self.order_fields([FOR_TEAM, ORIGINAL, TABLES, *self.keys, "note"])

    def clean(self) -> dict[str, Any]:
        """Turn uploads into parts; an error about size is shown at the field."""
        cleaned = super().clean() or self.cleaned_data
        for key in () if self.has_parts else self.keys:
            if cleaned.get(key) is None:
                cleaned.pop(key, None)
                continue
            try:
                empty = FILES[self.specs[key].kind].empty
                cleaned[key] = _counted(cleaned[key], self.max_bytes, empty)
            except ValidationError as error:
                self.add_error(key, error)
        return cleaned

    def clean_tables(self) -> dict[str, Part]:
        """The tables that belong together, by their key: files of these names, or an archive of them."""
        parts, errors = received(self.cleaned_data[TABLES], self.max_bytes)
        errors += _empty(parts)
        optional = [spec.key for spec in self.specs.values() if not spec.required]
        found, unfit = uploads.matched_tables(parts, self.keys, optional)
        if errors := [*errors, *unfit]:
            raise ValidationError(errors)
        return found

    @property
    def chosen_team(self) -> Team | None:
        """The platform's team for which an organizer submits."""
        return self.teams.get(self.cleaned_data.get(FOR_TEAM, ""))

    def said(self) -> dict[str, Any]:
        return super().said() | {ORIGINAL: self.cleaned_data.get(ORIGINAL)}

    def parts(self) -> dict[str, Part]:
        """The received files by the ruleset's key."""
        if self.has_parts:
            return dict(self.cleaned_data[TABLES])
        return {key: self.cleaned_data[key] for key in self.keys if key in self.cleaned_data}


def original_field(round: Round) -> forms.Field | None:
    """The choice of one of a team's originals; None if it has only one, or has chosen it for all rounds."""
    data = round.contest.ruleset.data
    numbers = data.numbers
    if None in numbers or data.choose == ONCE or not round.format.needs_own_table:
        return None
    named = [(number, _("Original %(n)s") % {"n": number}) for number in numbers]
    shown = listed(map(str, numbers))
    return forms.TypedChoiceField(
        label=_("Made from"),
        coerce=int,
        choices=[("", _("Choose an original")), *named],
        widget=forms.Select(attrs={"class": "form-select"}),
        error_messages={
            "required": str(REFUSALS["original.missing"]) % {"expected": shown},
            "invalid_choice": str(REFUSALS["original.unknown"])
            % {"expected": shown, "got": "%(value)s"},
        },
    )


def is_in_parts(round: Round) -> bool:
    """A submission of this round has several tables that belong together."""
    return round.format.needs_own_table and bool(round.contest.ruleset.data.parts)


def received(
    files: Iterable[UploadedFile], max_bytes: int
) -> tuple[list[Part], list[ValidationError]]:
    """The files, including those in archives, and the errors of the others."""
    parts: list[Part] = []
    errors: list[ValidationError] = []
    for upload in files:
        try:
            if uploads.is_zip(upload.name or ""):
                parts += uploads.unpacked(upload, max_bytes)
            else:
                parts.append(uploads.limited(upload, max_bytes))
        except ValidationError as error:
            errors.append(error)
    return parts, errors


def _empty(parts: Iterable[Part]) -> list[ValidationError]:
    empty = [part.name for part in parts if part.size_bytes == 0]
    return [ValidationError(EMPTY, "empty", {"name": name}) for name in empty]


class RoundFileField(forms.FileField):
    """A file of a round; templates read the invitations of its kind."""

    def __init__(self, kind: FileFormat, **options: Any) -> None:
        super().__init__(**options)
        self.kind = kind


def _file_field(spec: FileSpec, max_bytes: int) -> forms.FileField:
    kind = FILES[spec.kind]
    widget = forms.FileInput(attrs={"accept": kind.accept, "data-max-bytes": max_bytes})
    label = localized(spec.title, get_language() or "en")
    # The error message for an empty file comes from `_counted`.
    return RoundFileField(
        kind,
        label=label,
        required=spec.required,
        allow_empty_file=True,
        widget=widget,
        error_messages={"required": _("Choose a file.")},
    )


def _counted(upload: UploadedFile, max_bytes: int, empty: str | _StrPromise) -> Part:
    part = uploads.limited(upload, max_bytes)
    if part.size_bytes == 0:
        raise ValidationError(empty, "empty", {"name": part.name})
    return part


class SeveralFilesInput(forms.FileInput):
    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """One or more files; cleans to a list."""

    widget = SeveralFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files = [file for file in data or [] if file]
        return [super(SeveralFilesField, self).clean(file, initial) for file in files or [None]]


class GuessForm(UploadForm):
    """Guess files, or a zip archive of them, each for the target named in its file name; or one file for one target.

    `targets` are the other teams' slugs and names, `names` the expected file names, `target` the slug of the
    only target of a single upload.
    """

    guess = SeveralFilesField(
        label=_("Guess files"),
        allow_empty_file=True,
        error_messages={"required": _("Choose a file.")},
    )

    def __init__(
        self,
        round: Round,
        targets: dict[str, str],
        own: str,
        *args: Any,
        names: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.round = round
        self.max_bytes = selectors.max_file_bytes(round)
        self.targets, self.own, self.names = targets, own, names
        self.fields["guess"].widget.attrs.update(
            {"accept": ACCEPT_GUESSES, "data-max-bytes": settings.MAX_UPLOAD_BYTES}
        )
        self.order_fields(["guess", "note"])

    def clean_guess(self) -> uploads.Answers:
        """The received files by the slug of their target, by the key of the file."""
        parts, errors = received(self.cleaned_data["guess"], self.max_bytes)
        errors += _empty(parts)
        if errors:
            raise ValidationError(errors)
        single = self.data.get("target", "")
        single = single if single in self.targets else ""
        keys = [spec.key for spec in self.round.spec.files]
        if self.round.format.asks_questions:
            return uploads.matched_answers(parts, self.targets, keys, self._split, only=single)
        found = (
            {single: parts[0]}
            if single and len(parts) == 1
            else uploads.matched(parts, self.targets, own=self.own, names=self.names)
        )
        return {slug: {keys[0]: part} for slug, part in found.items()}

    def _split(self, key: str, part: Part) -> dict[str, Part]:
        """The answer files of each target in one for all."""
        from scoring.questions.together import split_by_target  # which few uploads need

        (question,) = (q for q in self.round.spec.questions if q.key == key)
        schema = dataset_of(self.round.contest).schema.public()
        data = b"".join(part.chunks())
        found = split_by_target(data, question, schema, list(self.targets), file=part.name)
        return {
            slug: uploads.Part(f"{key}_{slug}.csv", len(made), partial(iter, [made]))
            for slug, made in found.items()
        }
