# SPDX-License-Identifier: Apache-2.0
"""`make image-test`: the image is built for real and scores a submission; needs root on Debian, stops by itself.

The base is made from Debian's packages, and Python's packages come from wherever pip on this machine gets them; the
build itself has no network. Web server, worker and beat of docker-compose.yml then run in the image's tree as a
container runs them (`tools/in_image.sh`), with a PostgreSQL and a Redis of the test's own.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import redis
from packaging.markers import Marker

from tests.services import PostgreSQL, Redis, free_port, wait_until

ROOT = Path(__file__).resolve().parents[1]
USER = 10001
TOOLS = ("buildah", "debootstrap")
PACKAGES = "python3,python3-venv"
PATIENCE = 120
STEP_SECONDS = 1200
PASSWORD = "ofthistestalone"  # noqa: S105 — its servers end with it


def say(text: str) -> None:
    sys.stdout.write(f"image-test: {text}\n")
    sys.stdout.flush()


def run(
    *command: str | Path, stdin: str | None = None, env: Mapping[str, str] | None = None
) -> str:
    """Run a command to its end, or end it with all that it started; where it fails, its last lines say why."""
    process = subprocess.Popen(  # noqa: S603 — the commands are ours
        [*map(str, command)],
        cwd=ROOT,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        said, errors = process.communicate(stdin, timeout=STEP_SECONDS)
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if process.returncode:
        lines = (said + errors).splitlines()
        raise SystemExit("\n".join([f"image-test: {command[0]} failed", *lines[-30:]]))
    return said


def install_tools() -> None:
    missing = [name for name in TOOLS if shutil.which(name) is None]
    if os.getuid() != 0 or not shutil.which("apt-get"):
        raise SystemExit("image-test: needs root on Debian, for namespaces and debootstrap")
    if missing:
        run("apt-get", "update", "-qq")
        given = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing, env=given)


def of_python(locked: str, version: str) -> Iterator[str]:
    """The requirements of another Python, without markers: pip looks at its own version where it downloads."""
    for requirement in re.split(r"\n(?=\w)", locked):
        first, rest = requirement.split("\n", 1)
        name, _, marker = first.rstrip(" \\").partition(" ; ")
        if not marker or Marker(marker).evaluate({"python_full_version": version}):
            yield f"{name} \\\n{rest}"


class Image:
    """The image and its tree, in a storage that goes with the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        places = ["--root", folder / "storage", "--runroot", folder / "run"]
        self.buildah = ["buildah", *map(str, places), "--storage-driver", "vfs"]

    def make_base(self) -> None:
        """A Debian with Python, as the first line of the Dockerfile asks for."""
        base = self.folder / "base"
        codename = re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(), re.M)
        run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", codename[1], base)
        container = run(*self.buildah, "from", "scratch").strip()
        run(*self.buildah, "add", "--quiet", container, base, "/")
        run(*self.buildah, "commit", "--quiet", container, "localhost/base")
        run(*self.buildah, "rm", container)
        found = run(
            "chroot", base, "python3", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"
        )
        self.python = found.strip()
        shutil.rmtree(base)

    def fetch_packages(self) -> Path:
        """The locked packages for the base's Python, as pip here is set up to get them."""
        wheels, listed = self.folder / "wheels", self.folder / "locked.txt"
        locked = (ROOT / "requirements-distributed.txt").read_text()
        listed.write_text("\n".join(of_python(locked, self.python)))
        target = ["--only-binary", ":all:", "--python-version", self.python]
        exact = ["--require-hashes", "--no-deps", "--requirement", listed]
        run(sys.executable, "-m", "pip", "download", "-q", *exact, *target, "--dest", wheels)
        return wheels

    def build(self, wheels: Path) -> None:
        given = {
            "PYTHON_IMAGE": "localhost/base",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": "/wheels",
        }
        arguments = [word for k, v in given.items() for word in ("--build-arg", f"{k}={v}")]
        mounted = ["--volume", f"{wheels}:/wheels:ro"]
        flags = ["--isolation", "chroot", "--format", "docker", "--tag", "localhost/pwscup"]
        run(*self.buildah, "bud", *flags, *arguments, *mounted, ".")

    def unpack(self) -> None:
        """Its tree, its environment and its command."""
        container = run(*self.buildah, "from", "localhost/pwscup").strip()
        self.tree = Path(run(*self.buildah, "mount", container).strip())
        config = json.loads(run(*self.buildah, "inspect", container))["Docker"]["config"]
        assert config["User"] == "pwscup"
        assert config["Healthcheck"]["Test"][0] == "CMD"
        self.env = dict(pair.split("=", 1) for pair in config["Env"])
        self.command, self.health = config["Cmd"], config["Healthcheck"]["Test"][1:]


class Site:
    """Processes in the image's tree."""

    def __init__(self, image: Image, folder: Path, **settings: str) -> None:
        self.image, self.folder = image, folder
        self.env = image.env | settings
        self.data = folder / "data"
        self.data.mkdir(mode=0o700)
        os.chown(self.data, USER, USER)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def _words(self, command: Sequence[str]) -> list[str]:
        return [str(ROOT / "tools/in_image.sh"), str(self.image.tree), str(self.data), *command]

    def do(self, *command: str, stdin: str | None = None, **more: str) -> str:
        return run(*self._words(command), env=self.env | more, stdin=stdin)

    def start(self, name: str, command: Sequence[str], **more: str) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(  # noqa: S603 — a command of the image
                self._words(command),
                env=self.env | more,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def check(self) -> None:
        """End where a process has ended, with the end of its log."""
        for name, process in self.processes.items():
            if process.poll() is not None:
                raise SystemExit(f"image-test: {name} ended\n{self.log(name)}")

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")[-4000:]

    def stop(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in self.processes.values():
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
            deadline = time.monotonic() + 10
            while (
                any(p.poll() is None for p in self.processes.values())
                and time.monotonic() < deadline
            ):
                time.sleep(0.1)


def commands_of_compose() -> Mapping[str, list[str]]:
    """The commands of the workers and beat, as docker-compose.yml has them."""
    text = (ROOT / "docker-compose.yml").read_text()
    found = {}
    for name in ("worker", "long", "beat"):
        line = re.search(rf"^  {name}:\n(?:.*\n)*?    command: \[(.+)\]$", text, re.M)
        assert line, name
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|[^,\s]+', line[1])]
        found[name] = [re.sub(r"\$\{\w+:-(.*?)\}", r"\1", word) for word in words]
    return found


@contextlib.contextmanager
def servers() -> Iterator[dict[str, str]]:
    database, broker = PostgreSQL(), Redis()
    try:
        with redis.Redis.from_url(broker.url) as client:
            client.config_set("requirepass", PASSWORD)
        server = f":{PASSWORD}@127.0.0.1:{broker.port}"
        yield {
            "DATABASE_URL": database.url,
            "REDIS_URL": f"redis://{server}/0",
            "CACHE_URL": f"rediscache://{server}/1",
        }
    finally:
        broker.kill()
        database.stop()


def play(image: Image, folder: Path) -> None:
    """Everything that docker-compose.yml starts, until a participant has a result."""
    port = str(free_port())
    address = f"http://127.0.0.1:{port}"
    with servers() as settings:
        settings |= {"SECRET_KEY": "for-this-test-alone", "PWSCUP_SITE_URL": address}
        site = Site(image, folder, **settings)
        try:
            site.do("python", "manage.py", "migrate", "--no-input")
            site.do("python", "manage.py", "demo")
            web = [re.sub(r"\b8000\b", port, word) for word in image.command]
            site.start("web", web)
            for name, command in commands_of_compose().items():
                site.start(name, command)
            wait_until(
                lambda: site.check() or answers(f"{address}/readyz"), "the site is ready", PATIENCE
            )
            say(
                "web server, worker and beat run as user 10001 in a read-only tree; /readyz answers 200"
            )
            site.do(*[word.replace("8000", port) for word in image.health])
            visitor = (ROOT / "tools/image_visitor.py").read_text()
            say(site.do("python", "-", address, stdin=visitor).strip())
            pulse = site.data / "pulse"
            wait_until(lambda: site.check() or pulse.exists(), "housekeeping is done", PATIENCE)
            for line in site.do("python", "manage.py", "doctor").splitlines():
                say(f"doctor: {line}")
        except (SystemExit, TimeoutError):
            for name in site.processes:
                say(f"--- {name}\n{site.log(name)}")
            raise
        finally:
            site.stop()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 — the loopback
            return answer.status == 200
    except OSError:
        return False


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("image-test: asked to end"))
    install_tools()
    started = time.monotonic()

    def step(what: str) -> None:
        say(f"{what} ({time.monotonic() - started:.0f} s)")

    with tempfile.TemporaryDirectory(prefix="pwscup-image-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)  # the image's user passes through it
        image = Image(folder)
        image.make_base()
        step(f"base made of Debian's packages, Python {image.python}")
        wheels = image.fetch_packages()
        step(f"{len(list(wheels.iterdir()))} packages fetched")
        image.build(wheels)
        image.unpack()
        size = int(run("du", "-sm", image.tree).split()[0])
        kept = len(list(image.tree.glob("app/scoring/kernels/__pycache__/*.nbc")))
        step(f"image built: {size} MB, {kept} compiled kernels in it")
        play(image, folder)
        step("done, and everything stopped")


if __name__ == "__main__":
    main()
