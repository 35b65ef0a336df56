# SPDX-License-Identifier: Apache-2.0
"""Rounds, published tables and submissions of a contest, from Python."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pwscup.client import downloads, progress, repeats, uploads
from pwscup.client.answers import (
    Budget,
    Domain,
    FileRule,
    GuessesInfo,
    NoisyCounts,
    Ranks,
    RoundInfo,
    RoundLine,
    SubmissionInfo,
    TargetInfo,
)
from pwscup.client.errors import (
    FailedError,
    FileError,
    Problem,
    Rejected,
    TimedOutError,
)
from pwscup.client.names import unknown
from pwscup.client.records import record, value
from pwscup.client.shown import Listing, Shown, Table
from pwscup.client.uploads import Upload

if TYPE_CHECKING:
    import pandas as pd

    from pwscup.client.contests import Client, Contest

PER_PAGE = 200
MAX_PAGES = 500
POLL_SECONDS = 20
PAUSE_SECONDS = 2.0
"""Between questions that the site answers immediately, because many wait."""
WAIT_SECONDS = 900.0


class Round(Shown):
    """A round of a contest.

    Attributes
    ----------
    contest : Contest
    key : str
    line : RoundLine
        As it was when the contest was read.
    """

    def __init__(self, contest: Contest, line: RoundLine) -> None:
        self.contest, self.key, self.line = contest, line.key, line
        self._client: Client = contest.client
        self._path = f"/contests/{contest.slug}/rounds/{line.key}"

    @property
    def title(self) -> str:
        """Name, state and dates."""
        line = self.line
        when = f"{line.opens_at:%Y-%m-%d %H:%M} to {line.closes_at:%Y-%m-%d %H:%M %Z}"
        return f"{line.title} ({self.key}), {line.state}, {when}"

    def cells(self) -> Table:
        """The files to submit."""
        rows = [[one.key, one.is_required, one.title, one.format] for one in self.info.files]
        return ["file", "required", "title", "format"], rows

    @cached_property
    def info(self) -> RoundInfo:
        """The files to submit and further facts, read once."""
        return self.read()

    def read(self) -> RoundInfo:
        """The files to submit, and why nothing can be submitted now."""
        return record(RoundInfo, self._client.get(self._path))

    @property
    def page(self) -> str:
        """The address of its page."""
        return f"{self._client.site}/c/{self.contest.slug}/round/{self.key}/"

    # Submitting

    def submit(
        self,
        given: Any = None,
        rows: Any = None,
        *,
        files: Mapping[str, Any] | None = None,
        note: str = "",
        target: str | None = None,
        original: int | None = None,
        wait: bool | float = False,
    ) -> Submission:
        """Submit the files of a round. A lost answer never submits twice.

        Parameters
        ----------
        given : path, bytes, DataFrame, array, or a result of the library, optional
            The first file that the round requires. An `AnonymizedTable` brings its rows, too; a frame is written as
            `to_csv(index=False)` does. Arrays are guesses, or row numbers, and count from 0; -1 is no guess.
        rows : path, bytes or array of int, optional
            The row numbers of an anonymized table.
        files : mapping of str to any of these, optional
            Files by their keys, in place of or in addition to those above.
        note : str
            For the team.
        target : str, optional
            The short name of the team that guesses are about.
        original : int, optional
            The original that the table was made from, where the team has several.
        wait : bool or float
            Wait until the state is final, at most so many seconds (900 for True).

        Returns
        -------
        Submission

        Raises
        ------
        Refused
            Where the site does not take it: the round is closed, no attempt is left, a file is missing.
        Rejected
            Where it waited, and the files have problems. No attempt is used.
        FileError
            Where a file cannot be read, or is none of this round.
        """
        rules = self.info.files
        chosen = self._chosen(rules, given, rows, files)
        sent = uploads.uploads_of(rules, chosen)
        query = {"note": note, "target": target, "original": original}
        answer = self._send(f"{self._path}/submissions", sent, query)
        made = Submission(self._client, record(SubmissionInfo, answer))
        if wait:
            made.wait(WAIT_SECONDS if wait is True else float(wait))
        return made

    def _chosen(
        self,
        rules: Sequence[FileRule],
        given: Any,
        rows: Any,
        files: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        found = dict(files or {})
        if isinstance(given, Mapping):
            return {**found, **given}
        numbered = next((rule.key for rule in rules if rule.kind == "row_numbers"), None)
        if given is not None:
            first = next((r for r in rules if r.is_required), rules[0] if rules else None)
            if first is None:
                raise FileError(f"the round {self.key} takes no files")
            found[first.key] = given
            if rows is None and not hasattr(given, "columns"):
                rows = getattr(given, "rows", None)
        if rows is not None:
            if numbered is not None:
                found[numbered] = rows
            elif not hasattr(given, "rows"):
                raise FileError(f"rows: the round {self.key} takes no row numbers")
        return found

    def guess(
        self, given: Mapping[str, Any] | Sequence[str | Path], *, note: str = ""
    ) -> list[Submission]:
        """Submit guesses about several targets, all together.

        Parameters
        ----------
        given : mapping of str, or sequence of paths
            By the short name of the team: a path, bytes, a frame, an array or a result of `attack`; where the round
            asks several questions, a mapping from these to them. Or files whose names say which target they are
            about, such as `blue.csv`.
        note : str

        Returns
        -------
        list of Submission

        Raises
        ------
        Refused
            Where nothing was taken.
        Rejected
            Where some were not taken; `submissions` of the error has the others.
        """
        sent = self._guesses(given)
        answer = self._send(f"{self._path}/guesses", sent, {"note": note})
        found = record(GuessesInfo, answer)
        made = [Submission(self._client, one) for one in found.submissions]
        if found.not_received:
            names = ", ".join(found.not_received)
            first = Problem("guesses.not_received", f"not received: {names}")
            error = Rejected([first, *found.problems])
            error.submissions = made  # type: ignore[attr-defined]
            raise error
        return made

    def _guesses(self, given: Mapping[str, Any] | Sequence[str | Path]) -> list[Upload]:
        if not isinstance(given, Mapping):
            return [Upload("guess", Path(path).name, uploads.read(path)) for path in given]
        rules = self.info.files
        if not rules:
            raise FileError(f"the round {self.key} takes no guesses")
        found = []
        for target, one in given.items():
            several = one if isinstance(one, Mapping) else {rules[0].key: one}
            for key, content in several.items():
                rule = next((rule for rule in rules if rule.key == key), None)
                if rule is None:
                    raise unknown("question", key, [rule.key for rule in rules])
                _name, data = uploads.bytes_of(content, rule.kind, f"{target}: {key}")
                suffix = uploads.SUFFIXES.get(rule.content_type, "")
                own = f"{key}_{target}{suffix}" if self.info.questions else f"{target}{suffix}"
                found.append(Upload("guess", own, data))
        return found

    def _send(self, path: str, sent: Sequence[Upload], query: Mapping[str, Any]) -> Any:
        body, media = uploads.form_of(sent)
        address = [self._client.site, path, *(f"{k}={v}" for k, v in sorted(query.items()))]
        name = ", ".join(one.name for one in sent)
        with repeats.key_for(address, sent) as key:
            with progress.bytes_of(name, len(body), progress=self._client.progress) as note:
                answer = self._client.transport.send(
                    "POST",
                    path,
                    query=query,
                    body=lambda: progress.Sent(body, note),
                    content_type=media,
                    headers={repeats.HEADER: key},
                    repeats=True,
                )
            return answer.json()

    def submissions(self) -> Listing[Submission]:
        """The submissions of the team, the newest first."""
        found: list[Submission] = []
        for page in range(1, MAX_PAGES + 1):
            query = {"page": page, "per_page": PER_PAGE}
            data = self._client.get(f"{self._path}/submissions", query)
            listed = value(list[SubmissionInfo], data, "submissions")
            found += [Submission(self._client, one) for one in listed]
            if len(listed) < PER_PAGE:
                break
        columns = ("number", "target", "state", "arrived_at", "counts", "note", "id")
        return Listing("submission", found, columns)

    # Attacks

    def targets(self) -> Listing[Target]:
        """The published tables of an attack round."""
        data = self._client.get(f"{self._path}/targets")
        listed = value(list[TargetInfo], data, "targets")
        found = [Target(self._client, one) for one in listed]
        return Listing("target", found, ("name", "team", "n_records", "tries_left", "is_guessed"))

    def target(self, name: str) -> Target:
        """The published table of a team, by its short name.

        Raises
        ------
        UnknownError
            Where there is none; the message names similar ones.
        """
        found = {one.name: one for one in self.targets()}
        if name not in found:
            raise unknown("target", name, found)
        return found[name]

    def download_targets(self, folder: str | Path) -> list[Path]:
        """Write all published tables but the own one, with what attackers get, into a folder; the files."""
        where = f"{self.key} targets"
        packed = self._client.content(f"{self._path}/targets.zip", where)
        found = downloads.unpacked(packed)
        made = [Path(folder, name) for name in found]
        for path, data in zip(made, found.values(), strict=True):
            downloads.save(iter((data,)), path)
        return made

    # Disclosure of a hidden table

    def domain(self) -> Domain:
        """The columns of the hidden table with their values, and the target table."""
        return record(Domain, self._client.get(f"{self._path}/domain"))

    def budget(self) -> Budget:
        """The budget of the team."""
        return record(Budget, self._client.get(f"{self._path}/budget"))

    def ask(
        self,
        columns: Sequence[str] = (),
        epsilon: str | float = "0.1",
        where: Mapping[str, Sequence[str]] | None = None,
    ) -> NoisyCounts:
        """Ask for noisy counts, and pay; the same query again costs nothing.

        Parameters
        ----------
        columns : sequence of str
            To count by; without any the answer is a single count.
        epsilon : str or float
            The price, a decimal of at most six places.
        where : mapping of str to sequence of str, optional
            The values of a column that are counted.

        Returns
        -------
        NoisyCounts

        Raises
        ------
        Refused
            Where a column or a value is unknown, or the budget is too small.
        """
        query = {"columns": list(columns), "where": {k: list(v) for k, v in (where or {}).items()}}
        body = {"query": query, "epsilon": _decimal(epsilon)}
        data = self._client.post(f"{self._path}/answers", body, repeats=True)  # it is paid once
        return record(NoisyCounts, data)

    def release(self) -> pd.DataFrame:
        """The released table of a batch round, all values as texts."""
        return frame_of(self._client.content(f"{self._path}/release.csv", "release"))

    def template(self) -> pd.DataFrame:
        """The file to submit, with all counts 0."""
        return frame_of(self._client.content(f"{self._path}/template.csv", "template"))


class Target(Shown):
    """The published table of a team.

    Attributes
    ----------
    info : TargetInfo
    """

    def __init__(self, client: Client, info: TargetInfo) -> None:
        self._client, self.info = client, info
        self._path = f"/releases/{downloads.checked_name(info.id)}"

    @property
    def name(self) -> str:
        """The short name of the team."""
        return self.info.team.slug

    @property
    def team(self) -> str:
        """The name of the team."""
        return self.info.team.name

    @property
    def n_records(self) -> int:
        """The records of its table."""
        return self.info.n_records

    @property
    def tries_left(self) -> int | None:
        """The attempts that are left against it."""
        return self.info.tries_left

    @property
    def is_guessed(self) -> bool:
        """True where a guess of the own team counts."""
        return self.info.is_guessed

    @property
    def title(self) -> str:
        """The team and its table."""
        return f"{self.name}: {self.n_records:,} records"

    def cells(self) -> Table:
        """The published files."""
        rows = [[one.name, one.size_bytes] for one in (self.info.table, self.info.given) if one]
        return ["file", "bytes"], rows

    def frame(self, schema: Any = None) -> pd.DataFrame:
        """The published table; with a schema, its columns have their types."""
        content = self.content()
        if schema is None:
            return frame_of(content)
        import scoring

        return scoring.read(content, schema, original=False)

    def content(self) -> bytes:
        """The published table as it is: CSV, or a zip archive of several."""
        return self._client.content(f"{self._path}/table", self.info.table.name)

    def given(self) -> bytes:
        """The file that attackers get next to it: candidates, question sheets or individuals.

        Raises
        ------
        Refused
            Where they get nothing.
        """
        return self._client.content(f"{self._path}/given", f"{self.name} given")


class Submission(Shown):
    """A submission of the team; its attributes are those of `SubmissionInfo`.

    Attributes
    ----------
    info : SubmissionInfo
        As the site answered it last; `refresh` and `wait` read it again.
    """

    def __init__(self, client: Client, info: SubmissionInfo) -> None:
        self._client, self.info = client, info
        self._path = f"/submissions/{downloads.checked_name(info.id)}"

    def __getattr__(self, name: str) -> Any:
        """The attributes of the answer."""
        if name.startswith("_") or name == "info":
            raise AttributeError(name)
        return getattr(self.info, name)

    @property
    def title(self) -> str:
        """Number, target, state, and the first values."""
        one = self.info
        about = f" about {one.target}" if one.target else ""
        text = f"#{one.number}{about} in {one.contest}/{one.round}: {one.state}"
        if one.place is not None:
            text += f", place {one.place} in the queue"
        if one.values:
            known = [f"{k} {v:g}" for k, v in one.values.items() if v is not None and k[:2] != "n_"]
            text += f"; {', '.join(known[:3])}{' …' if len(known) > 3 else ''}"
        elif one.band_title or one.band:
            text += f"; {one.band_title or f'{one.band[0]} to {one.band[1]} %' if one.band else ''}"
        elif one.n_problems:
            text += f"; {one.n_problems} problem{'' if one.n_problems == 1 else 's'}"
        elif one.state == "scored":
            text += "; values are not shown yet"
        return text

    def cells(self) -> Table:
        """The values by measure, or the problems."""
        one = self.info
        if one.problems:
            rows = [[p.file, p.row, p.column, p.message] for p in one.problems]
            return ["file", "record", "column", "problem"], rows
        return ["measure", "value"], [[k, v] for k, v in (one.values or {}).items()]

    @property
    def page(self) -> str:
        """The address of its page."""
        return f"{self._client.site}/s/{self.info.id}/"

    def refresh(self) -> Submission:
        """Read its state again."""
        self.info = record(SubmissionInfo, self._client.get(self._path))
        return self

    def wait(
        self, seconds: float = WAIT_SECONDS, *, note: Callable[[Submission], object] | None = None
    ) -> Submission:
        """Wait until the state is final.

        Parameters
        ----------
        seconds : float
            At most.
        note : callable, optional
            Called with the submission after each answer.

        Returns
        -------
        Submission
            Itself, scored.

        Raises
        ------
        Rejected
            With all problems of the files; no attempt is used.
        FailedError
            Where the site could not score it, or it was cancelled.
        TimedOutError
            Where the time is over; it is scored later.
        """
        until = time.monotonic() + seconds
        while not self.info.is_final:
            left = until - time.monotonic()
            if left <= 0:
                raise TimedOutError(
                    f"{self.title} — not scored after {seconds:.0f} s: look later with "
                    f"pwscup status {self.info.id}"
                )
            began = time.monotonic()
            asked = max(1, min(POLL_SECONDS, int(left)))
            data = self._client.get(self._path, {"wait": asked}, more_seconds=asked)
            self.info = record(SubmissionInfo, data)
            if note is not None:
                note(self)
            if not self.info.is_final and time.monotonic() - began < PAUSE_SECONDS:
                self._client.sleep(min(PAUSE_SECONDS, max(0.0, until - time.monotonic())))
        return self.checked()

    def checked(self) -> Submission:
        """Itself, if it was scored or still waits.

        Raises
        ------
        Rejected, FailedError
            As `wait` does.
        """
        one = self.info
        if one.state == "rejected":
            raise Rejected(one.problems or [Problem("rejected", "the files were rejected")])
        if one.state in ("failed", "cancelled"):
            reference = f" (reference {one.reference})" if one.reference else ""
            raise FailedError(f"submission #{one.number} {one.state}{reference}")
        return self

    def choose(self) -> Submission:
        """Choose it as the one that counts."""
        return self._act("choose")

    def cancel(self) -> Submission:
        """Cancel it while it waits: it uses no attempt."""
        return self._act("cancel")

    def annotate(self, note: str) -> Submission:
        """Change its note."""
        data = self._client.put(f"{self._path}/note", {"note": note})
        self.info = record(SubmissionInfo, data)
        return self

    def _act(self, name: str) -> Submission:
        self.info = record(SubmissionInfo, self._client.post(f"{self._path}/{name}"))
        return self

    def receipt(self) -> dict[str, Any]:
        """The receipt, for `python -m scoring verify --receipt`."""
        return value(dict[str, Any], self._client.get(f"{self._path}/receipt"), "receipt")  # type: ignore[no-any-return]

    def ranks(self) -> Ranks:
        """Its ranks among the submissions of the other teams that count."""
        return record(Ranks, self._client.get(f"{self._path}/ranks"))

    def content(self, key: str) -> bytes:
        """A file, exactly as it was submitted."""
        known = [one.key for one in self.info.files]
        if key not in known:
            raise unknown("file", key, known)
        return self._client.content(f"{self._path}/files/{key}", key)


def frame_of(content: bytes) -> pd.DataFrame:
    """A table of texts."""
    import pandas as pd

    return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False, encoding="utf-8-sig")


def _decimal(epsilon: str | float) -> str:
    """ε as an exact text."""
    if isinstance(epsilon, str):
        return epsilon
    return f"{epsilon:.6f}".rstrip("0").rstrip(".")
