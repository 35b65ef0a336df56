# SPDX-License-Identifier: Apache-2.0
"""Scenarios of `make load`: each drives a running installation for a minute at most and returns what it measured."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.reliability.client import FORM, Answer, Connection, fields_part, files_part
from benchmarks.reliability.installation import Installation
from benchmarks.reliability.processes import cpu_seconds, tree

Cells = dict[str, str]
"""By row of the table, what was measured."""
LOST = (OSError, TimeoutError, EOFError, ValueError)
"""The result of a client that gets no answer."""
PATIENCE_SECONDS = 80
SETTLE_SECONDS = 60
EVERY_SECONDS = 15  # a board asks for news of itself
GUESS = b"row\n1\n2\n3\n4\n"
POLLED = re.compile(rb'hx-get="([^"]+)" hx-trigger="every 3s"')


@dataclass(frozen=True)
class Sizes:
    """The sizes of scenarios; the defaults are those of the table."""

    uploads: int = 300
    closes_after: float = 6
    rush_seconds: float = 45
    viewers: int = 300
    n_records: int = 8_333
    boards: tuple[int, ...] = (100, 200)
    tables: int = 10
    connections: int = 12
    seconds: float = 5
    crowd: int = 24
    scored: int = 160
    slow: int = 300
    slow_seconds: float = 45
    experiments: int = 1


SMALL = Sizes(
    uploads=5,
    closes_after=10,
    rush_seconds=2,
    viewers=3,
    n_records=0,
    boards=(3, 4),
    tables=2,
    connections=2,
    seconds=0.5,
    crowd=3,
    scored=6,
    slow=6,
    slow_seconds=3,
    experiments=1,
)


@dataclass
class Run:
    """One installation under measurement, and the contests that were made in it so far."""

    site: Installation
    sizes: Sizes
    made: dict[str, Any] = field(default_factory=dict)

    def contest(self, slug: str, n_teams: int, n_records: int = 0) -> dict[str, Any]:
        if slug not in self.made:
            made = self.site.do("contest", slug=slug, n_teams=n_teams, n_records=n_records)
            self.made[slug] = made
        return self.made[slug]

    def board(self, n_teams: int) -> tuple[str, dict[str, Any]]:
        """A finished contest of so many teams."""
        slug = f"board{n_teams}"
        if slug not in self.made:
            tables = self.sizes.tables
            self.made[slug] = self.site.do("board", slug=slug, n_teams=n_teams, n_tables=tables)
        return slug, self.made[slug]

    def boards(self) -> list[tuple[str, dict[str, Any]]]:
        return [self.board(n) for n in self.sizes.boards]

    def files(self, made: dict[str, Any]) -> bytes:
        """The end of an upload's body: 1.3 MB where the contest has households."""
        return files_part({key: Path(path).read_bytes() for key, path in made["files"].items()})

    def visitor(self, session: str | None = None) -> Connection:
        return Connection(self.site.port, session)

    async def settle(self, slug: str) -> None:
        """Wait until nothing of a contest is unfinished."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < deadline:
            states = self.site.do("states", slug=slug)
            if not states.keys() & {"waiting", "running"}:
                return
            await asyncio.sleep(0.2)

    async def idle_rate(self, seconds: float) -> float:
        """Processor time per second of the installation while nobody uses it."""
        before = cpu_seconds(self.site.pids())
        await asyncio.sleep(seconds)
        return (cpu_seconds(self.site.pids()) - before) / seconds


# Words


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which the share lies; infinite where there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("inf")


def span(seconds: float) -> str:
    """A time as people read it."""
    if seconds == float("inf"):
        return "no answer"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def spans(values: Sequence[float]) -> str:
    return f"p50 {span(percentile(values, 0.5))}, p99 {span(percentile(values, 0.99))}"


def size(n_bytes: float) -> str:
    return f"{n_bytes / 1e3:,.0f} kB" if n_bytes < 1e6 else f"{n_bytes / 1e6:.1f} MB"


async def patiently(request: Awaitable[Answer]) -> Answer | None:
    """An answer; None where there is none."""
    try:
        return await request
    except LOST:
        return None


# Uploads


async def upload(
    visitor: Connection, slug: str, note: str, files: bytes, key: str = "anonymization"
) -> Answer | None:
    body = (fields_part({"note": note}), files)
    path = f"/c/{slug}/round/{key}/"
    return await patiently(visitor.request("POST", path, body, PATIENCE_SECONDS, **FORM))


def place_of(answer: Answer | None) -> str | None:
    """The number of the submission that an upload became; None where it became none."""
    if answer is None or answer.status != 302:
        return None
    found = re.fullmatch(r"(?:https?://[^/]+)?/s/([0-9a-f-]+)/", answer.headers.get("location", ""))
    return found[1] if found else None


async def burst(run: Run) -> Cells:
    """All teams send together, and the round closes some seconds later."""
    n = run.sizes.uploads
    made = run.contest("burst", n, run.sizes.n_records)
    files = run.files(made)
    visitors = [run.visitor(session) for session in made["sessions"]]
    await warm(run, made, "burst")
    run.site.do("clock", slug="burst", key="anonymization", closes_at=run.sizes.closes_after)
    answers = await asyncio.gather(
        *(upload(visitor, "burst", f"u{i}", files) for i, visitor in enumerate(visitors))
    )
    for visitor in visitors:
        visitor.close()
    taken = sum(place_of(answer) is not None for answer in answers)
    late = sum(answer is not None and answer.status == 422 for answer in answers)
    others = n - taken - late
    seconds = [answer.seconds for answer in answers if answer is not None]
    stamps = _stamps(run, "burst", answers)
    await run.settle("burst")
    failed = f", {others} not answered" if others else ""
    return {
        "burst": f"{late} of {n} refused as late{failed}; stamped {spans(stamps)} after sending, "
        f"answered {spans(seconds)}"
    }


async def warm(run: Run, made: dict[str, Any], slug: str) -> None:
    """A first upload and its score: what is loaded once is loaded."""
    async with run.visitor(made["sessions"][-1]) as visitor:
        await upload(visitor, slug, "warm", run.files(made))
        await patiently(visitor.request("GET", f"/c/{slug}/board/"))
    await run.settle(slug)


def _stamps(run: Run, slug: str, answers: Sequence[Answer | None]) -> list[float]:
    """Seconds from sending to the stamp of each upload."""
    arrived = {row["note"]: row["arrived"] for row in run.site.do("rows", slug=slug)}
    sent = {f"u{i}": answer.sent_at for i, answer in enumerate(answers) if answer is not None}
    return [arrived[note] - at for note, at in sent.items() if note in arrived]


async def rush(run: Run) -> Cells:
    """Uploads spread over some time while people look at the board."""
    sizes = run.sizes
    made = run.contest("rush", sizes.uploads, sizes.n_records)
    files, rng, looks = run.files(made), random.Random(1), []
    await warm(run, made, "rush")
    stop = asyncio.Event()

    async def send(i: int, session: str) -> Answer | None:
        await asyncio.sleep(i * sizes.rush_seconds / sizes.uploads)
        async with run.visitor(session) as visitor:
            return await upload(visitor, "rush", f"u{i}", files)

    async def look(session: str, after: float) -> None:
        etag = ""
        async with run.visitor(session) as visitor:
            await _pause(stop, after)
            while not stop.is_set():
                headers = {"If-None-Match": etag} if etag else {}
                path = "/c/rush/board/fragment/"
                answer = await patiently(visitor.request("GET", path, (), 60, **headers))
                looks.append(answer.seconds if answer else float("inf"))
                etag = answer.headers.get("etag", "") if answer else etag
                await _pause(stop, EVERY_SECONDS)

    viewers = [
        asyncio.create_task(look(session, rng.random() * min(EVERY_SECONDS, sizes.rush_seconds)))
        for session in made["sessions"][: sizes.viewers]
    ]
    answers = await asyncio.gather(*(send(i, s) for i, s in enumerate(made["sessions"])))
    stop.set()
    await asyncio.gather(*viewers)
    seconds = [answer.seconds if answer else float("inf") for answer in answers]
    lost = sum(place_of(answer) is None for answer in answers)
    stamps = _stamps(run, "rush", answers)
    await run.settle("rush")
    return {
        "rush": f"{spans(seconds)}; {lost} lost",
        "stamp": f"{spans(stamps)}, most {span(max(stamps, default=float('inf')))}",
        "views": spans(looks),
    }


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return


async def cost(run: Run) -> Cells:
    """Uploads one after another from a few people until the last is scored."""
    n = run.sizes.scored
    made = run.contest("cost", 8, run.sizes.n_records)
    files = run.files(made)
    await warm(run, made, "cost")
    before, started = cpu_seconds(run.site.pids()), time.time()

    async def send(k: int, session: str) -> None:
        async with run.visitor(session) as visitor:
            for i in range(k, n, len(made["sessions"])):
                await upload(visitor, "cost", f"u{i}", files)

    await asyncio.gather(*(send(k, s) for k, s in enumerate(made["sessions"])))
    await run.settle("cost")
    elapsed = time.time() - started
    used = cpu_seconds(run.site.pids()) - before
    idle = await run.idle_rate(run.sizes.seconds)  # now, when all of it has started long ago
    used -= idle * elapsed
    rows = [row for row in run.site.do("rows", slug="cost") if row["note"].startswith("u")]
    ends = [row["finished"] for row in rows if row["state"] == "scored"]
    if not ends:
        return {"cost": "nothing was scored", "rate": "nothing was scored"}
    rate = len(ends) / (max(ends) - started)
    return {"cost": f"{1000 * used / len(ends):.0f} ms", "rate": f"{rate:.1f}"}


# Boards


async def polls(run: Run) -> Cells:
    """The rate of requests for a board that did not change."""
    slug, made = run.board(run.sizes.boards[0])
    path, session = f"/c/{slug}/board/fragment/", made["sessions"][0]
    etag = await _etag(run, path, session)
    statuses: list[int] = []
    deadline = time.monotonic() + run.sizes.seconds

    async def ask() -> None:
        async with run.visitor(session) as visitor:
            while time.monotonic() < deadline:
                answer = await patiently(
                    visitor.request("GET", path, (), 30, **{"If-None-Match": etag})
                )
                statuses.append(answer.status if answer else 0)

    started = time.monotonic()
    await asyncio.gather(*(ask() for _ in range(run.sizes.connections)))
    rate = len(statuses) / (time.monotonic() - started)
    same = statuses.count(304)
    asked = run.site.do("queries", path=path, session=session, etag=etag)
    stranger = run.site.do("queries", path=path, etag=await _etag(run, path, None))
    return {
        "polls": f"{rate:,.0f}/s ({same} of {len(statuses)} with 304); queries: {asked['n']}, "
        f"{stranger['n']} for a visitor"
    }


async def _etag(run: Run, path: str, session: str | None) -> str:
    """The name of the current answer, asked for until it stays the same."""
    etag = ""
    async with run.visitor(session) as visitor:
        for _ in range(20):
            answer = await visitor.request("GET", path, (), PATIENCE_SECONDS)
            if answer.headers.get("etag") == etag:
                break
            etag = answer.headers.get("etag", "")
            await asyncio.sleep(0.2)
    return etag


async def pages(run: Run) -> Cells:
    """Whole board pages on a few connections."""
    slug, made = run.board(run.sizes.boards[0])
    seconds: list[float] = []
    await _etag(run, f"/c/{slug}/board/fragment/", made["sessions"][0])
    deadline = time.monotonic() + run.sizes.seconds

    async def ask(session: str) -> None:
        async with run.visitor(session) as visitor:
            while time.monotonic() < deadline:
                answer = await patiently(visitor.request("GET", f"/c/{slug}/board/", (), 30))
                seconds.append(answer.seconds if answer else float("inf"))

    sessions = made["sessions"] * run.sizes.connections
    await asyncio.gather(*(ask(session) for session in sessions[: run.sizes.connections]))
    return {"pages": spans(seconds)}


async def rebuilds(run: Run) -> Cells:
    """The processor time from a fact until the board shows it, and what a crowd sees meanwhile."""
    found, crowds = [], []
    boards = run.boards()
    async with run.visitor() as visitor:
        await patiently(visitor.request("GET", "/", (), 60))  # which names the winners of both
    for slug, made in boards:
        path, session = f"/c/{slug}/board/fragment/", made["sessions"][0]
        etag = await _etag(run, path, session)
        idle = await run.idle_rate(run.sizes.seconds / 2)
        before, started = cpu_seconds(run.site.pids()), time.monotonic()
        run.site.do("fact", slug=slug)
        await _until_changed(run, path, session, etag)
        elapsed = time.monotonic() - started
        found.append(cpu_seconds(run.site.pids()) - before - idle * elapsed)
        crowds.append(await _crowd(run, slug))
    seconds = " / ".join(f"{max(cpu, 0):.2f}" for cpu in found)
    return {"rebuilds": f"{seconds} s", "crowd": "; ".join(crowds)}


async def _until_changed(run: Run, path: str, session: str, etag: str) -> float:
    started = time.monotonic()
    async with run.visitor(session) as visitor:
        while time.monotonic() - started < PATIENCE_SECONDS:
            answer = await patiently(
                visitor.request("GET", path, (), PATIENCE_SECONDS, **{"If-None-Match": etag})
            )
            if answer is not None and answer.status == 200:
                return time.monotonic() - started
            await asyncio.sleep(0.3)
    return float("inf")


async def _crowd(run: Run, slug: str) -> str:
    """Many viewers together after a fact, and one who opens the home page."""
    run.site.do("fact", slug=slug)
    visitors = [run.visitor() for _ in range(run.sizes.crowd)]
    home = run.visitor()
    looks = [visitor.request("GET", f"/c/{slug}/board/", (), 60) for visitor in visitors]
    answers = await asyncio.gather(*map(patiently, [*looks, home.request("GET", "/", (), 60)]))
    *boards, front = [answer.seconds if answer else float("inf") for answer in answers]
    for visitor in [*visitors, home]:
        visitor.close()
    return f"{span(max(boards))}, home page {span(front)}"


async def ranks(run: Run) -> Cells:
    """The rank of a submission, asked for one time after another."""
    found = []
    for _, made in run.boards():
        seconds, deadline = [], time.monotonic() + run.sizes.seconds
        async with run.visitor(made["sessions"][0]) as visitor:
            path = f"/s/{made['submission']}/ranks/"
            await patiently(visitor.request("GET", path))
            while time.monotonic() < deadline or not seconds:
                answer = await patiently(visitor.request("GET", path))
                seconds.append(answer.seconds if answer and answer.status == 200 else float("inf"))
        found.append(span(percentile(seconds, 0.5)))
    return {"ranks": " / ".join(found)}


async def matrix(run: Run) -> Cells:
    """The compressed size of the largest page."""
    found = []
    for slug, made in run.boards():
        async with run.visitor(made["sessions"][0]) as visitor:
            path, taken = f"/c/{slug}/board/?board=matrix", {"Accept-Encoding": "gzip, deflate, br"}
            answer = await visitor.request("GET", path, (), PATIENCE_SECONDS, **taken)
        found.append(size(answer.wire_bytes) if answer.status == 200 else f"HTTP {answer.status}")
    return {"matrix": " / ".join(found)}


async def export(run: Run) -> Cells:
    """All submissions of the largest contest as a file."""
    slug, made = run.board(run.sizes.boards[-1])
    async with run.visitor(made["organizer"]) as visitor:
        path = f"/organize/{slug}/submissions.csv"
        answer = await visitor.request("GET", path, (), PATIENCE_SECONDS)
    lines = answer.body.count(b"\n") - 1
    streamed = "" if "content-length" in answer.headers else ", streamed"
    return {"export": f"{span(answer.seconds)} ({lines:,} rows{streamed})"}


async def history(run: Run) -> Cells:
    """The requests of the page of a round while a submission waits."""
    made = run.contest("history", 1)
    waiting = run.site.do("unsent", slug="history")
    path = "/c/history/round/anonymization/"
    try:
        async with run.visitor(made["sessions"][0]) as visitor:
            page = await visitor.request("GET", path)
            found = POLLED.search(page.body)
            if found is None:
                return {"history": "the page asks for nothing"}
            address = found[1].decode().replace("&amp;", "&")
            htmx = {"HX-Request": "true"}
            first = await visitor.request("GET", address, **htmx)
            again = {"If-None-Match": first.headers.get("etag", '""')}
            second = await visitor.request("GET", address, **htmx, **again)
    finally:
        run.site.do("withdraw", public_id=waiting)
    etag = "an" if "etag" in first.headers else "no"
    return {"history": f"{size(len(first.body))} with {etag} ETag, then {second.status}"}


# Slow connections


async def slow(run: Run) -> Cells:
    """Connections that send a byte every two seconds, in headers and in bodies, and a visitor meanwhile."""
    n, stop = run.sizes.slow, asyncio.Event()
    closed: list[float] = []
    started = time.monotonic()

    async def trickle(in_body: bool) -> None:
        visitor = run.visitor()
        head = visitor.head("POST", "/accounts/login/", 1_000_000 if in_body else None, **FORM)
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", run.site.port)
            writer.write(head if in_body else head[:-4] + b"\r\nX-Slow: ")
            ended = asyncio.ensure_future(reader.read())
            while not stop.is_set() and not ended.done():
                writer.write(b"x")
                await _pause(stop, 2)
            if ended.done():
                closed.append(time.monotonic() - started)
            ended.cancel()
            writer.close()
        except OSError:
            closed.append(time.monotonic() - started)

    slow_ones = [asyncio.create_task(trickle(i % 2 == 1)) for i in range(n)]
    await asyncio.sleep(min(2, run.sizes.slow_seconds / 6))
    seconds = []
    while time.monotonic() - started < run.sizes.slow_seconds / 3:
        async with run.visitor() as visitor:
            answer = await patiently(visitor.request("GET", "/accounts/login/", (), 5))
        seconds.append(answer.seconds if answer and answer.status == 200 else float("inf"))
        await asyncio.sleep(0.1)
    while time.monotonic() - started < run.sizes.slow_seconds and len(closed) < n:
        await asyncio.sleep(0.2)
    stop.set()
    await asyncio.gather(*slow_ones, return_exceptions=True)
    lost = seconds.count(float("inf"))
    left = f"{len(closed)} of {n} closed within {run.sizes.slow_seconds:.0f} s"
    return {"slow": f"{spans(seconds)}, {lost} of {len(seconds)} without an answer; {left}"}


# Other work


async def ask_experiment(run: Run, session: str, **changed: Any) -> str:
    """Ask for an experiment as its page does; its address."""
    fields = run.site.do("proposal", **changed)
    body = (fields_part(fields), files_part({}))
    async with run.visitor(session) as visitor:
        answer = await visitor.request("POST", "/experiments/new/", body, **FORM)
    if answer.status != 302:
        raise RuntimeError(f"the experiment was answered with {answer.status}")
    return answer.headers["location"].rstrip("/").rpartition("/")[2]


async def _until(
    condition: Callable[[], object], seconds: float = PATIENCE_SECONDS, every: float = 0.1
) -> float:
    """Seconds until a condition held; infinite if it did not in time."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        if await asyncio.to_thread(condition):
            return time.monotonic() - started
        await asyncio.sleep(every)
    return float("inf")


def _states_of(run: Run, public_id: str) -> str:
    return run.site.do("experiments")[public_id]


async def experiment(run: Run) -> Cells:
    """The waiting time of a small experiment while all workers are idle."""
    made = run.contest("experiments", run.sizes.experiments)
    waits = []
    for session in made["sessions"]:
        asked = await ask_experiment(run, session, trials=1, max_iterations=10, epsilons=[1])
        waits.append(await _until(lambda asked=asked: _states_of(run, asked) != "waiting"))
        await _until(lambda asked=asked: _states_of(run, asked) not in ("waiting", "running"), 20)
    return {"experiment": span(max(waits))}


async def turns(run: Run) -> Cells:
    """From the end of a round to its tables, and from the end of the next to its results."""
    slug, n = "turns", 3
    made = run.contest(slug, n)
    files = run.files(made)
    for i, session in enumerate(made["sessions"]):
        async with run.visitor(session) as visitor:
            await upload(visitor, slug, f"u{i}", files)
    await run.settle(slug)
    now = run.site.do("clock", slug=slug, key="anonymization", closes_at=1)
    run.site.do("clock", slug=slug, key="attack", opens_at=1, closes_at=3600)
    visitor = run.visitor(made["sessions"][0])
    shown = await _first(visitor, f"/c/{slug}/round/attack/targets.zip", b"")
    targets = shown - (now + 1)
    guess = files_part({"guess": GUESS}, name="team-1")
    if shown == float("inf"):
        return {"targets": "no targets", "results": "no targets"}
    answer = await upload(visitor, slug, "guess", guess, key="attack")
    place = place_of(answer)
    if place is None:
        return {"targets": span(targets), "results": "the guess was refused"}
    await run.settle(slug)
    now = run.site.do("clock", slug=slug, key="attack", closes_at=1)
    results = await _first(visitor, f"/s/{place}/", b'class="stat"') - (now + 1)
    visitor.close()
    return {"targets": span(targets), "results": span(results)}


async def _first(visitor: Connection, path: str, words: bytes) -> float:
    """When a page was there for the first time, with these words in it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        answer = await patiently(visitor.request("GET", path))
        if answer is not None and answer.status == 200 and words in answer.body:
            return time.time()
        await asyncio.sleep(0.2)
    return float("inf")


async def mixed(run: Run) -> Cells:
    """Submissions while an experiment and an audit are at work."""
    made = run.contest("mixed", 3, run.sizes.n_records)
    files = run.files(made)
    async with run.visitor(made["sessions"][0]) as visitor:
        first = place_of(await upload(visitor, "mixed", "first", files))
        await run.settle("mixed")
        await visitor.request(
            "POST", f"/s/{first}/audit/", (fields_part({}), files_part({})), **FORM
        )
    small = run.sizes.n_records == 0
    effort = {"trials": 1} if small else {"trials": 100, "max_iterations": 20_000}
    asked = await ask_experiment(run, made["sessions"][1], tolerance=0, **effort)
    await _until(lambda: _states_of(run, asked) != "waiting", 1 if small else 10)
    await asyncio.sleep(run.sizes.seconds)
    waits = []
    async with run.visitor(made["sessions"][2]) as visitor:
        for i in range(3):
            sent = time.time()
            place = place_of(await upload(visitor, "mixed", f"u{i}", files))
            end = place and await asyncio.to_thread(
                run.site.do, "final_of", public_id=place, seconds=PATIENCE_SECONDS / 3
            )
            waits.append(end - sent if end else float("inf"))
    state = _states_of(run, asked)
    async with run.visitor(made["sessions"][1]) as visitor:
        stop = f"/experiments/{asked}/stop/"
        await visitor.request("POST", stop, (fields_part({}), files_part({})), **FORM)
    longest = "not within 27 s" if float("inf") in waits else span(max(waits))
    return {"mixed": f"{longest} (the experiment was {state})"}


async def processes(run: Run) -> Cells:
    """The processes of each service."""
    found = {name: len(tree(pid)) for name, pid in run.site.services().items()}
    return {"processes": ", ".join(f"{name} {n}" for name, n in found.items())}


Scenario = Callable[[Run], Awaitable[Cells]]
SCENARIOS: dict[str, Scenario] = {
    function.__name__: function
    for function in (
        processes,
        experiment,  # before anything else was sent from the web process
        burst,
        rush,
        polls,
        pages,
        rebuilds,
        ranks,
        matrix,
        cost,
        export,
        slow,
        history,
        turns,
        mixed,
    )
}
