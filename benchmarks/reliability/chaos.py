# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.reliability.chaos`: submissions under faults in both modes, and what became of each."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.reliability import document
from benchmarks.reliability.client import (
    FORM,
    Connection,
    fields_part,
    files_part,
    hidden_fields,
)
from benchmarks.reliability.faults import FAULTS, Fault, NotHereError
from benchmarks.reliability.installation import MODES, Installation, interrupt_when_terminated
from benchmarks.reliability.scenarios import LOST, place_of, span

SETTINGS = "benchmarks.reliability.settings"
SLUG, ROUND = "chaos", "/c/chaos/round/anonymization/"
N_TEAMS, N_TABLES = 20, 12
SLOW_SHARE, SLOW_SECONDS = 0.1, (2.0, 3.0)
BEFORE_SECONDS, AFTER_SECONDS = 3, 9
GIVE_UP_SECONDS, ANSWER_SECONDS = 100, 30
RECOVERY_SECONDS = 80
SETTLE_SECONDS = 120
WARM_SECONDS = 300  # a worker may have kernels to compile
RUN_SECONDS = 1_140
"""No fault begins later than this: the whole run ends within 20 minutes."""
DISK_MB = 300
HEAD = (
    "fault",
    "sent",
    "accepted",
    "lost",
    "doubled",
    "wrong",
    "stuck",
    "failed",
    "recovered after",
    "other answers meanwhile",
)
TOTAL = "all together"


@dataclass
class Sent:
    """One file that somebody wants to submit, and what the site answered."""

    tag: str
    table: int
    place: str | None = None
    answers: Counter[str] = field(default_factory=Counter)


@dataclass
class Outcome:
    """The outcome of the submissions sent around one fault."""

    sent: int = 0
    accepted: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: int = 0
    stuck: int = 0
    failed: int = 0
    recovery: float | None = None
    answers: dict[str, int] = field(default_factory=dict)
    note: str = ""

    def cells(self) -> list[str]:
        numbers = (self.sent, self.accepted, self.lost, self.doubled)
        recovery = document.NOT_MEASURED if self.recovery is None else span(self.recovery)
        if self.recovery == float("inf"):
            recovery = f"not within {RECOVERY_SECONDS} s"
        others = ", ".join(f"{text} × {n}" for text, n in sorted(self.answers.items()))
        words = "; ".join(part for part in (others, self.note) if part)
        rest = (self.wrong, self.stuck, self.failed)
        return [*map(str, (*numbers, *rest)), recovery, words or "none"]


def table(number: int) -> bytes:
    """One of several small tables, each with values of its own."""
    amounts = [(110 + number, 90), (220, 390 - number), (280 + 2 * number, 210), (390, 520)]
    groups = ("2,1,1", "2,1,1", "1,1,2", "1,1,2")
    lines = [f"{g},{a},{b}" for g, (a, b) in zip(groups, amounts, strict=True)]
    return "\n".join(["qi1,qi2,qi3,sa1,sa2", *lines, ""]).encode()


TABLES = [
    files_part({"anonymized": table(n), "rows": b"row\n1\n2\n3\n4\n"}) for n in range(N_TABLES)
]


class Siege:
    """One installation, the people who submit there, and the faults that it goes through."""

    def __init__(self, site: Installation, faults: list[Fault], n: int, seed: int) -> None:
        self.site, self.faults = site, faults
        self.rng = random.Random(seed)
        self.rng.shuffle(self.faults)
        self.shares = [n // len(faults) + (i < n % len(faults)) for i in range(len(faults))]
        self.sent: dict[str, list[Sent]] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.started = time.monotonic()
        self.endings = 0
        self.count = 0

    async def do(self, command: str, **arguments: Any) -> Any:
        return await asyncio.to_thread(self.site.do, command, **arguments)

    async def run(self) -> dict[str, Outcome]:
        made = await self.do("contest", slug=SLUG, n_teams=N_TEAMS)
        self.sessions = made["sessions"]
        truth = await self._without_faults()
        for fault, n in zip(self.faults, self.shares, strict=True):
            if time.monotonic() - self.started > RUN_SECONDS:
                self.outcomes[fault.name] = Outcome(note="not run: the time was over")
                continue
            self.outcomes[fault.name] = await self._undergo(fault, n)
            cells = self.outcomes[fault.name].cells()
            document.say(
                f"{self.site.mode}: {fault.name}: recovered after {cells[-2]}, answers: {cells[-1]}"
            )
        every = [sent.place for own in self.sent.values() for sent in own if sent.place]
        await self._final(every, SETTLE_SECONDS)
        self._compare(await self.do("rows", slug=SLUG), truth)
        return self.outcomes

    async def _without_faults(self) -> list[Any]:
        """The values of each table, from a scoring that nothing disturbs."""
        first = [Sent(f"truth{n}", n) for n in range(N_TABLES)]
        await asyncio.gather(*(self._deliver(sent, "0") for sent in first))
        await self._final([sent.place for sent in first if sent.place], WARM_SECONDS)
        found = await self.do("rows", slug=SLUG)
        values = {row["note"]: row["values"][0] for row in found if row["values"]}
        if len(values) < N_TABLES:
            states = dict(Counter(row["state"] for row in found))
            raise RuntimeError(f"not scored before the first fault: {states}\n{self.site.story()}")
        return [values[f"0 {sent.tag}"] for sent in first]

    # Submitting

    async def _deliver(self, sent: Sent, seconds: str) -> None:
        """Send a file as a person does: again where no answer came, with the same form."""
        session = self.sessions[self.count % len(self.sessions)]
        self.count += 1
        deadline = time.monotonic() + GIVE_UP_SECONDS
        form: dict[str, str] | None = None
        while sent.place is None and time.monotonic() < deadline:
            async with Connection(self.site.port, session) as visitor:
                try:
                    if form is None:
                        page = await visitor.request("GET", ROUND, (), ANSWER_SECONDS)
                        if page.status != 200:
                            raise OSError(page.status)
                        form = hidden_fields(page.body) | {"note": f"{seconds} {sent.tag}"}
                    body = (fields_part(form), TABLES[sent.table])
                    answer = await visitor.request("POST", ROUND, body, ANSWER_SECONDS, **FORM)
                except LOST as error:
                    text = str(error) if str(error).isdecimal() else "no answer"
                    sent.answers[text] += 1
                else:
                    sent.place = place_of(answer)
                    if sent.place is None:
                        sent.answers[str(answer.status)] += 1
            if sent.place is None:
                await asyncio.sleep(1)

    async def _stream(self, fault: Fault, n: int) -> list[Sent]:
        """Files sent one after another from before the fault until after it."""
        every = (BEFORE_SECONDS + fault.seconds + AFTER_SECONDS) / max(n, 1)
        own = [Sent(f"{fault.name}{i}", self.rng.randrange(N_TABLES)) for i in range(n)]
        self.sent[fault.name] = own
        slow = set(self.rng.sample(range(n), round(SLOW_SHARE * n)))
        at_work = round((BEFORE_SECONDS - 1) / every)  # when the fault comes
        slow |= {i for i in (at_work, at_work + 1) if i < n}

        async def later(i: int, sent: Sent) -> None:
            await asyncio.sleep(i * every)
            seconds = self.rng.uniform(*SLOW_SECONDS) if i in slow else 0
            await self._deliver(sent, f"{seconds:.1f}")

        await asyncio.gather(*(later(i, sent) for i, sent in enumerate(own)))
        return own

    # Faults

    async def _undergo(self, fault: Fault, n: int) -> Outcome:
        stream = asyncio.create_task(self._stream(fault, n))
        await asyncio.sleep(BEFORE_SECONDS)
        outcome, ended = Outcome(), self.endings
        try:
            await asyncio.to_thread(fault.do, self.site)
            try:
                outcome.recovery = await self._recovery(fault)
            finally:
                if fault.undo:
                    await asyncio.to_thread(fault.undo, self.site)
        except NotHereError as reason:
            outcome.note = f"not run: {reason}"
        except Exception as error:
            outcome.note = f"{type(error).__name__} {error}".strip().replace("|", "/")[:160]
        await self._start_again()
        own = await stream
        if self.endings > ended:
            ending = "the supervisor ended, and was started again"
            outcome.note = "; ".join(part for part in (outcome.note, ending) if part)
        answers = sum((sent.answers for sent in own), Counter())
        outcome.answers = dict(answers)
        return outcome

    async def _recovery(self, fault: Fault) -> float:
        """Seconds until a new file is scored, and all that was in flight is final."""
        ended = time.monotonic()
        flying = [sent.place for sent in self.sent[fault.name] if sent.place]
        probe = Sent(f"{fault.name}-probe", 0)
        self.sent[fault.name].append(probe)
        await self._start_again()
        deliver = asyncio.create_task(self._deliver(probe, "0"))
        done, _ = await asyncio.wait([deliver], timeout=RECOVERY_SECONDS)
        if not done:
            deliver.cancel()
        within = RECOVERY_SECONDS - (time.monotonic() - ended)
        if probe.place is None or not await self._final([*flying, probe.place], within):
            return float("inf")
        return time.monotonic() - ended

    async def _start_again(self) -> None:
        """The operator's action after the supervisor has ended by itself."""
        if self.site.process is not None and self.site.process.poll() is not None:
            self.endings += 1
            await asyncio.to_thread(self.site.start)

    async def _final(self, places: list[str], seconds: float) -> bool:
        """Wait until these submissions are final; False where they are not in time."""
        deadline = time.monotonic() + seconds
        while await self.do("unfinished", public_ids=places):
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(0.2)
        return True

    # Comparing

    def _compare(self, rows: list[dict[str, Any]], truth: list[Any]) -> None:
        by_place = {row["id"]: row for row in rows}
        tags = Counter(row["note"].partition(" ")[2] for row in rows)
        for name, own in self.sent.items():
            found = self.outcomes[name]
            for sent in own:
                found.sent += 1
                found.accepted += sent.place is not None
                found.doubled += max(0, tags[sent.tag] - 1)
                if sent.place is None:
                    continue
                row = by_place.get(sent.place)
                if row is None:
                    found.lost += 1
                elif row["state"] in ("waiting", "running"):
                    found.stuck += 1
                elif row["state"] == "failed":
                    found.failed += 1
                else:
                    found.wrong += row["values"] != [truth[sent.table]] or row["events"] != 1


# Installations


def small_disk() -> Path:
    """A folder on a file system of its own, where that can be made; else any folder."""
    folder = Path(tempfile.mkdtemp(prefix="pwscup-chaos-"))
    if os.getuid() == 0 and (mount := shutil.which("mount")):
        options = ["-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
        subprocess.run([mount, *options], check=False, capture_output=True)
    return folder


def remove(folder: Path) -> None:
    if os.path.ismount(folder):
        subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)


async def besiege(mode: str, names: list[str], n: int, seed: int) -> dict[str, Outcome]:
    """The outcome of the submissions of one mode."""
    folder = small_disk()
    faults = [FAULTS[name] for name in names if mode in FAULTS[name].modes]
    site = None
    try:
        site = await asyncio.to_thread(Installation, mode, settings=SETTINGS, folder=folder)
        return await Siege(site, faults, n, seed).run() if faults else {}
    finally:
        if site is not None:
            await asyncio.to_thread(site.stop)
        remove(folder)


async def all_modes(
    modes: list[str], names: list[str], n: int, seed: int
) -> dict[str, dict[str, Outcome]]:
    """Both modes at the same time: they wait more than they work."""
    found = await asyncio.gather(*(besiege(mode, names, n, seed) for mode in modes))
    return dict(zip(modes, found, strict=True))


def together(outcomes: dict[str, Outcome]) -> Outcome:
    """The sums over all faults, and the longest recovery."""
    every = list(outcomes.values())
    sums = {
        name: sum(getattr(outcome, name) for outcome in every)
        for name in ("sent", "accepted", "lost", "doubled", "wrong", "stuck", "failed")
    }
    recoveries = [outcome.recovery for outcome in every if outcome.recovery is not None]
    answers = sum((Counter(outcome.answers) for outcome in every), Counter())
    return Outcome(**sums, recovery=max(recoveries, default=None), answers=dict(answers))


def rows(mode: str, known: dict[str, list[str]], found: dict[str, Outcome]) -> dict[str, list[str]]:
    """The rows of one mode's table: new ones where there are some, else what the page had."""
    unknown = [document.NOT_MEASURED] * (len(HEAD) - 1)
    titles = {fault.title: fault.name for fault in FAULTS.values() if mode in fault.modes}
    made = {
        title: found[name].cells() if name in found else known.get(title, unknown)
        for title, name in titles.items()
    }
    whole = found.keys() == set(titles.values())
    made[TOTAL] = together(found).cells() if whole else known.get(TOTAL, unknown)
    return made


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.reliability.chaos", description=__doc__
    )
    made.add_argument(
        "faults", nargs="*", metavar="FAULT", help=f"of {', '.join(FAULTS)}; default: all"
    )
    made.add_argument("--submissions", type=int, default=1_000, help="of each mode")
    made.add_argument("--seed", type=int, default=1, help="of the order of the faults")
    made.add_argument("--mode", choices=MODES, action="append", help="default: both")
    made.add_argument("--json", type=Path, help="write what was found there, for comparisons")
    made.add_argument("--page", type=Path, help="the page to write; none with --json")
    return made


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    if unknown := set(given.faults) - set(FAULTS):
        parser().error(f"expected of {', '.join(FAULTS)} — got {', '.join(sorted(unknown))}")
    names = [name for name in FAULTS if not given.faults or name in given.faults]
    modes = given.mode or list(MODES)
    found = asyncio.run(all_modes(modes, names, given.submissions, given.seed))
    for mode, outcomes in found.items():
        total = dict(zip(HEAD[1:], together(outcomes).cells(), strict=True))
        document.say(f"{mode}: {total}")
    if given.json:
        plain = {m: {k: asdict(v) for k, v in own.items()} for m, own in found.items()}
        given.json.write_text(json.dumps(plain, indent=1) + "\n")
    page = given.page or (None if given.json else document.PAGE)
    if page:
        text = page.read_text(encoding="utf-8")
        for mode, outcomes in found.items():
            known = document.rows_of(text, f"chaos {mode}")
            made = rows(mode, known, outcomes)
            text = document.written(text, f"chaos {mode}", HEAD, made, document.machine())
        page.write_text(text)
        document.say(f"written to {page}")
    bad = [together(outcomes) for outcomes in found.values()]
    return int(any(o.lost + o.doubled + o.wrong + o.stuck + o.failed for o in bad))


if __name__ == "__main__":
    interrupt_when_terminated()
    sys.exit(main())
