# SPDX-License-Identifier: Apache-2.0
"""A site and its contests, from Python."""

from __future__ import annotations

import json
import locale
import os
import time
import warnings
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pwscup.client import downloads, progress, tokens
from pwscup.client.answers import (
    Board,
    Boards,
    ContestInfo,
    ContestLine,
    Download,
    Material,
    Me,
    NewsLine,
    Question,
    SubmissionInfo,
    Terms,
)
from pwscup.client.errors import FileError, Refused, TokenError
from pwscup.client.kit import ORIGINAL, RULES, Kit
from pwscup.client.names import unknown
from pwscup.client.records import record, value
from pwscup.client.rounds import Round, Submission
from pwscup.client.shown import Listing, Shown, Table
from pwscup.client.sites import is_open, site_of
from pwscup.client.transport import ATTEMPTS, SECONDS, RateLimit, Transport

if TYPE_CHECKING:
    import pandas as pd

    from scoring import Schema

TOKEN_PAGE = "/account/tokens/"  # noqa: S105 — an address
NOT_FOUND = 404


class Client:
    """A site of PWSCup, with a token.

    Parameters
    ----------
    url : str, optional
        The address of the site, by default that of `PWSCUP_URL` or of the last `pwscup login`.
    token : str, optional
        An access token, by default that of `PWSCUP_TOKEN` or of the login.
    language : str, optional
        Of the site's messages, `en` or `ja`; by default that of this machine.
    progress : bool
        Show bars of downloads and uploads that take longer than two seconds.
    seconds : float
        Without a byte from the site, after which an attempt ends.
    attempts : int
        For a request that may be sent again: at lost connections, 429 and 5xx.
    is_trusted : bool
        False where the address comes out of a file: the token of the environment is for its own site only.

    Raises
    ------
    TokenError
        Where there is no token.

    Examples
    --------
    >>> Client("https://cup.example.org", "pwscup_x")
    <Client: https://cup.example.org>
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        language: str | None = None,
        progress: bool = True,
        seconds: float = SECONDS,
        attempts: int = ATTEMPTS,
        is_trusted: bool = True,
    ) -> None:
        site = tokens.default_site() if url is None else site_of(url)
        if site is None:
            raise TokenError(
                "no site — expected its address, or a log-in before: pwscup login https://…",
                code="site.missing",
            )
        found = token or tokens.token_for(site, is_trusted=is_trusted)
        if not found:
            raise TokenError(
                f"no token for {site}: create one on {site}{TOKEN_PAGE}, and run pwscup login {site}",
                code="token.missing",
            )
        if is_open(site):
            warnings.warn(f"{site}: the token goes over the network unencrypted", stacklevel=2)
        self.site = site
        self.progress = progress
        self.sleep = time.sleep
        self.transport = Transport(
            site,
            _one_line(found),
            language=language or _language(),
            seconds=seconds,
            attempts=attempts,
        )

    def __repr__(self) -> str:
        return f"<Client: {self.site}>"

    @property
    def rate(self) -> RateLimit | None:
        """The requests that are left to the token, as the last answer said; None before the first."""
        return self.transport.rate

    def me(self) -> Me:
        """The owner of the token, and the token."""
        return record(Me, self.get("/me"))

    def contests(self) -> Listing[ContestLine]:
        """The contests that you may see."""
        listed = value(list[ContestLine], self.get("/contests"), "contests")
        return Listing("contest", listed, ("slug", "title", "state"))

    def contest(self, slug: str) -> Contest:
        """A contest by its short name, which stands in the address of its page.

        Raises
        ------
        UnknownError
            Where there is none; the message names similar ones.
        """
        known = None
        if not slug or not all(c.isalnum() or c in "-_" for c in slug):
            known = [one.slug for one in self.contests()]
            raise unknown("contest", slug, known)
        try:
            data = self.get(f"/contests/{slug}")
        except Refused as refused:
            if refused.status != NOT_FOUND:
                raise
            known = [one.slug for one in self.contests()]
            raise unknown("contest", slug, known) from refused
        return Contest(self, record(ContestInfo, data))

    def submission(self, id_: str) -> Submission:
        """A submission of your team, by its identifier."""
        path = f"/submissions/{downloads.checked_name(id_)}"
        return Submission(self, record(SubmissionInfo, self.get(path)))

    # Requests

    def get(
        self, path: str, query: Mapping[str, Any] | None = None, *, more_seconds: float = 0
    ) -> Any:
        """The JSON at an address below `/api/v1`."""
        return self.transport.send("GET", path, query=query, more_seconds=more_seconds).json()

    def post(self, path: str, body: Any = None, *, repeats: bool = False) -> Any:
        """Send JSON; `repeats` if a second request does the same as the first."""
        return self._write("POST", path, body, repeats)

    def put(self, path: str, body: Any) -> Any:
        """Replace something by JSON."""
        return self._write("PUT", path, body, True)

    def _write(self, method: str, path: str, body: Any, repeats: bool) -> Any:
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        return self.transport.send(method, path, body=data, repeats=repeats).json()

    def content(self, path: str, name: str) -> bytes:
        """The bytes of a file, with a progress bar."""
        answer = self.transport.send("GET", path)
        found = []
        with self._bar(name, answer.headers.get("Content-Length")) as note:
            n_bytes = 0
            for chunk in answer.chunks():
                n_bytes += len(chunk)
                if n_bytes > downloads.MAX_BYTES:
                    raise FileError(f"{name}: expected at most {downloads.MAX_BYTES:,} bytes")
                found.append(chunk)
                note(len(chunk))
        return b"".join(found)

    def save(self, path: str, target: Path, *, sha256: str | None = None) -> None:
        """Download a file completely or not at all."""
        answer = self.transport.send("GET", path)
        with self._bar(target.name, answer.headers.get("Content-Length")) as note:
            downloads.save(answer.chunks(), target, sha256=sha256, note=note)

    def _bar(self, name: str, size: str | None) -> Any:
        total = int(size) if size and size.isdecimal() else None
        return progress.bytes_of(name, total, progress=self.progress)


class Contest(Shown):
    """A contest.

    Attributes
    ----------
    client : Client
    info : ContestInfo
        As it was when it was read.
    """

    def __init__(self, client: Client, info: ContestInfo) -> None:
        self.client, self.info = client, info
        self.slug = info.slug
        self._path = f"/contests/{info.slug}"

    @property
    def title(self) -> str:
        """Title, state and team."""
        team = f"; team {self.info.team.name}" if self.info.team else "; no team"
        return f"{self.info.title} ({self.slug}), {self.info.state}{team}"

    def cells(self) -> Table:
        """The rounds."""
        return self.rounds.cells()

    @property
    def page(self) -> str:
        """The address of its page."""
        return f"{self.client.site}/c/{self.slug}/"

    @cached_property
    def rounds(self) -> Listing[Round]:
        """The rounds in their order."""
        found = [Round(self, line) for line in self.info.rounds]
        return _Rounds("round", found, ("key", "title", "state", "opens_at", "closes_at"))

    def round(self, key: str | None = None) -> Round:
        """A round by its key; without one, the round that is open.

        Raises
        ------
        UnknownError
            Where there is none, or several are open.
        """
        known = {one.key: one for one in self.rounds}
        if key is not None:
            if key not in known:
                raise unknown("round", key, known)
            return known[key]
        opened = [one for one in self.rounds if one.line.is_open]
        if len(opened) != 1:
            now = f"{len(opened)} rounds are open" if opened else "no round is open"
            raise FileError(
                f"{now} — expected the key of a round — known: {', '.join(known)}",
                code="round.missing",
            )
        return opened[0]

    def submit(
        self, given: Any = None, rows: Any = None, *, round: str | None = None, **options: Any
    ) -> Submission:
        """Submit to a round, by default the one that is open: see `Round.submit`."""
        return self.round(round).submit(given, rows, **options)

    def submissions(self, round: str | None = None) -> Listing[Submission]:
        """The submissions of the team in a round, the newest first."""
        return self.round(round).submissions()

    # Files

    def files(self) -> Listing[Download]:
        """The files of the contest."""
        listed = value(list[Download], self.client.get(f"{self._path}/files"), "files")
        columns = ("name", "key", "file_name", "size_bytes", "n_records", "is_available")
        return Listing("file", listed, columns)

    def materials(self) -> Listing[Material]:
        """Materials that the organizers offer."""
        listed = value(list[Material], self.client.get(f"{self._path}/materials"), "materials")
        return Listing("material", listed, ("number", "kind", "title", "file_name", "url"))

    def original(self, name: str = ORIGINAL) -> pd.DataFrame:
        """The table to anonymize, or the team's own, with the types of the schema."""
        import scoring

        found = next((f for f in self.files() if Path(f.name).stem == name), None)
        if found is None:
            raise unknown("file", name, [Path(f.name).stem for f in self.files()])
        return scoring.read(self._content(found.name), self.schema())

    def schema(self) -> Schema:
        """The columns of the table, without roles to be confirmed."""
        from scoring import Schema

        return Schema.from_toml(self._content("schema.toml").decode("utf-8-sig"))

    def _content(self, name: str) -> bytes:
        return self.client.content(f"{self._path}/files/{downloads.checked_name(name)}", name)

    def download(
        self, folder: str | Path | None = None, *, overwrite: bool = False, materials: bool = True
    ) -> Kit:
        """Download the files of the contest into a folder.

        A file that is there already stays if it has the same content; with another content it is an error.

        Parameters
        ----------
        folder : path, optional
            By default one that is called like the contest, in the current one.
        overwrite : bool
            Replace files of another content.
        materials : bool
            With the organizers' files.

        Returns
        -------
        Kit

        Raises
        ------
        FileError
            Where a file of another content is there, or nothing can be written.
        Refused
            Where the terms are not accepted, or you are in no team.
        """
        target = Path(downloads.checked_name(self.slug)) if folder is None else Path(folder)
        kit = Kit(target, self.client.site, self.slug)
        for one in self.files():
            if not one.is_available:
                continue
            name = downloads.checked_name(one.file_name or f"{self.slug}-{one.name}")
            address = f"{self._path}/files/{downloads.checked_name(one.name)}"
            self._fetch(address, target / name, one.sha256, overwrite)
            kit.files[Path(one.name).stem] = name
        rules = f"{self.slug}-rules.toml"
        self._fetch(f"{self._path}/rules.toml", target / rules, None, True)
        kit.files[RULES] = rules
        if materials:
            self._fetch_materials(kit, overwrite)
        kit.save()
        return kit

    def _fetch_materials(self, kit: Kit, overwrite: bool) -> None:
        for one in self.materials():
            if not one.file_name:
                continue
            name = downloads.checked_name(one.file_name)
            if name in kit.files.values():
                name = f"material-{one.number}-{name}"
            address = f"{self._path}/materials/{one.number}"
            self._fetch(address, kit.folder / name, None, overwrite)
            kit.files[f"material-{one.number}"] = name

    def _fetch(self, address: str, target: Path, sha256: str | None, overwrite: bool) -> None:
        there = downloads.digest_of(target)
        if there is not None and there == sha256:
            return
        if there is None or overwrite:
            self.client.save(address, target, sha256=sha256)
            return
        beside = target.with_name(f"{target.name}.new")
        self.client.save(address, beside, sha256=sha256)
        if downloads.digest_of(beside) == there:
            beside.unlink()
            return
        raise FileError(
            f"{target} is there with another content; the downloaded one is {beside.name}: "
            "compare them, or download again with --overwrite",
            code="file.other_content",
        )

    # Boards and messages

    def boards(self) -> Boards:
        """The boards, stages and divisions."""
        return record(Boards, self.client.get(f"{self._path}/boards"))

    def board(self, key: str | None = None, *, stage: str = "", division: str = "") -> Board:
        """A board as a table; by default the main one.

        Raises
        ------
        UnknownError
            Where there is none of this key; the message names similar ones.
        """
        known = self.boards()
        keys = [one.key for one in known.boards]
        name = known.first if key is None else key
        if name not in keys and name != known.first:
            raise unknown("board", name, keys)
        for kind, asked, listed in (
            ("stage", stage, known.stages),
            ("division", division, known.divisions),
        ):
            if asked and asked not in [one.key for one in listed]:
                raise unknown(kind, asked, [one.key for one in listed])
        query = {"stage": stage, "division": division}
        path = f"{self._path}/boards/{downloads.checked_name(name)}"
        return Board.of(self.client.get(path, query))

    def news(self) -> Listing[NewsLine]:
        """Announcements of the organizers."""
        listed = value(list[NewsLine], self.client.get(f"{self._path}/news"), "news")
        return Listing("announcement", listed, ("at", "title", "text"))

    def ask_organizers(self, subject: str, text: str) -> Question:
        """Ask the organizers a question."""
        body = {"subject": subject, "text": text}
        return record(Question, self.client.post(f"{self._path}/questions", body))

    def questions(self) -> Listing[Question]:
        """The questions of the team, with their answers."""
        listed = value(list[Question], self.client.get(f"{self._path}/questions"), "questions")
        return Listing("question", listed, ("subject", "text", "answer"))

    def terms(self) -> Terms:
        """The terms of participation."""
        return record(Terms, self.client.get(f"{self._path}/terms"))

    def accept_terms(self, digest: str) -> Terms:
        """Accept the terms that you have read, named by their digest."""
        body = {"digest": digest}
        return record(Terms, self.client.post(f"{self._path}/terms", body, repeats=True))


class _Rounds(Listing[Round]):
    """Rounds, whose columns are those of their lines."""

    def cells(self) -> Table:
        """A row for each round."""
        rows = [[getattr(one.line, name) for name in self._columns] for one in self]
        return list(self._columns), rows


def _language() -> str:
    """The language of this machine, as far as sites speak it."""
    named = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG")
    try:
        found = named or locale.getlocale()[0] or ""
    except ValueError:
        found = ""
    return "ja" if found.lower().startswith("ja") else "en"


def _one_line(token: str) -> str:
    """A token as it stands in a header.

    Raises
    ------
    TokenError
        Where it is none.
    """
    found = token.strip()
    if not found.isascii() or not found.replace("_", "").replace("-", "").isalnum():
        raise TokenError("not an access token — expected one such as pwscup_… in one line")
    return found
