# SPDX-License-Identifier: Apache-2.0
"""Programs that hang, fork, fill the disk, print without end or look around: each ends, and nothing of it is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.sandbox import PARTS, Limits, enforcement, run
from scoring.sandbox.launcher import descendants

ROOT = Path(__file__).parents[2]
PYTHON = (sys.executable, "-I", "-S", "-c")
SHORT = Limits(seconds=20, memory=256 * 2**20, output_bytes=2**20, files=50)


def played(code, limits=SHORT, **inputs):
    return run([*PYTHON, code, "{input}", "{output}"], inputs, limits=limits)


def test_a_program_gets_its_files_and_gives_its_own():
    code = "import sys; i, o = sys.argv[1:]; open(o + '/b', 'w').write(open(i + '/a').read() * 2)"
    done = played(code, a=b"x")
    assert done.ok, done
    assert done.files == {"b": b"xx"}


def test_an_input_file_stays_in_its_folder():
    with pytest.raises(ValueError, match="relative path"):
        run([*PYTHON, "pass"], {"../a": b""})
    with pytest.raises(ValueError, match="absolute path"):
        run(["python", "-c", "pass"], {})


@pytest.mark.parametrize(
    ("code", "limits", "exceeded"),
    [
        ("while True: pass", {"seconds": 0.3}, "time"),
        ("while True: pass", {"cpu_seconds": 1}, "cpu"),
        ("while True: print('x' * 10000)", {}, "output"),
        ("for i in range(100): open(f'output/{i}', 'w')", {}, "output"),
        ("for i in range(9): open(f'tmp/{i}', 'wb').write(bytes(200_000))", {}, "output"),
        ("import time; x = bytearray(b'1') * 300 * 2**20; time.sleep(20)", {}, "memory"),
        ("import os\nwhile True:\n try: os.fork()\n except OSError: pass", {}, "processes"),
    ],
    ids=["hangs", "computes", "prints", "many files", "large files", "memory", "forks"],
)
def test_a_limit_ends_the_program(code, limits, exceeded):
    values = {name: getattr(SHORT, name) for name in SHORT.__slots__} | limits
    done = played(code, Limits(**values))
    assert done.exceeded == exceeded
    assert not done.ok
    assert done.files == {}
    assert len(done.printed) <= 8192
    assert not [
        pid for pid in descendants() if b"input" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "import socket; socket.socket(socket.AF_UNIX)",
        f"open({__file__!r})",
        "import os; os.listdir('/tmp')",
        "open('/tmp/pwscup-was-here', 'w')",
        "open('input/a', 'w')",
        "open('input/b', 'w')",
        "open('output/a', 'wb').write(bytes(2**21))",
        "bytearray(2**30)",
        "import os; os.kill(1, 9)",
        "import os; os.kill(os.getppid(), 9)",
        "import os; os.environ['SECRET_KEY']",
        "import os; open('/proc/%d/environ' % os.getppid())",
    ],
)
def test_what_a_program_may_not_do_is_an_error_to_it(code):
    done = played(code, a=b"x")
    assert (done.status, done.exceeded) == (1, None), done
    assert "Error" in done.printed


def test_links_and_pipes_are_no_results():
    code = "import os; os.symlink('/etc/passwd', 'output/a'); os.mkfifo('output/b'); os.mkdir('output/c', 0)"
    assert played(code).files == {}


LEAVES_A_CHILD = """
import os, time
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(write, b'x')
        os.close(1), os.close(2)
        time.sleep(60)
    os._exit(0)
os.read(read, 1)
print('left')
"""


def test_children_end_with_the_program():
    before = set(descendants())
    done = played(LEAVES_A_CHILD)
    assert done.printed == "left\n"
    assert set(descendants()) <= before


def test_linux_enforces_every_part_and_others_at_least_the_limits_of_a_process():
    """On Linux with user namespaces and Landlock; only root can become another user."""
    expected = set(PARTS) - (set() if os.getuid() == 0 else {"user"})
    assert enforcement() <= expected
    assert enforcement() >= (expected if sys.platform == "linux" else {"time", "cpu", "files"})


WITHOUT_NAMESPACES = f"""
import json, sys
sys.path.insert(0, {str(ROOT)!r})
from scoring.sandbox import Limits, enforcement, launcher, run
launcher.prctl(launcher.PR_SET_NO_NEW_PRIVS, 1)
assert launcher.refuse_calls()
code = [sys.executable, "-I", "-S", "-c"]
left = run([*code, {LEAVES_A_CHILD!r}], {{}})
bomb = run([*code, "import os\\nwhile os.fork() >= 0: pass"], {{}}, limits=Limits(processes=4, seconds=10))
print(json.dumps([sorted(enforcement()), left.printed, list(launcher.descendants()), bomb.exceeded]))
"""


def test_where_namespaces_are_forbidden_the_rest_holds():
    """As in a container: the filter that programs get refuses namespaces to the launcher here."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", WITHOUT_NAMESPACES],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, printed, left, exceeded = json.loads(done.stdout)
    expected = set(PARTS) - {"processes"} - (set() if os.getuid() == 0 else {"user"})
    assert (set(found), printed, left, exceeded) == (expected, "left\n", [], "processes")
