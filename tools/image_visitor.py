# SPDX-License-Identifier: Apache-2.0
"""A participant of the demo contest that is open, from sign-in to result; runs in the image, on the loopback."""

from __future__ import annotations

import csv
import http.cookiejar
import io
import re
import sys
import time
import urllib.parse
import urllib.request
import uuid

CONTEST, ROUND = "demo-running", "anonymization"
EMAIL, PASSWORD = "alice@example.org", "try-the-demo"
PATIENCE = 180


class Visitor:
    """A browser without scripts."""

    def __init__(self, site: str) -> None:
        self.site = site
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.open = urllib.request.build_opener(cookies).open

    def get(self, path: str) -> str:
        with self.open(self.site + path, timeout=60) as answer:
            return answer.read().decode("utf-8-sig")

    def send(self, path: str, fields: dict[str, str], files: dict[str, str]) -> tuple[str, str]:
        """Post a form as a browser does; the address that it leads to, and its page."""
        page = self.get(path)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
        assert token, page
        sent = hidden | fields | {"csrfmiddlewaretoken": token[1]}
        boundary = uuid.uuid4().hex
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in sent.items()
        ]
        parts += [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}.csv"\r\n'
            f"Content-Type: text/csv\r\n\r\n{text}\r\n"
            for name, text in files.items()
        ]
        body = "".join([*parts, f"--{boundary}--\r\n"]).encode()
        request = urllib.request.Request(  # noqa: S310 — the loopback
            self.site + path,
            body,
            {
                "Content-Type": f"multipart/form-data; boundary={boundary}",
                "Referer": self.site + path,
            },
        )
        with self.open(request, timeout=60) as answer:
            return answer.geturl(), answer.read().decode()


def main(site: str) -> None:
    visitor = Visitor(site)
    visitor.send("/accounts/login/", {"login": EMAIL, "password": PASSWORD}, {})
    table = visitor.get(f"/c/{CONTEST}/data/original.csv")
    n_records = len(list(csv.reader(io.StringIO(table)))) - 1
    rows = "\n".join(map(str, range(1, n_records + 1))) + "\n"
    where, page = visitor.send(
        f"/c/{CONTEST}/round/{ROUND}/", {}, {"anonymized": table, "rows": rows}
    )
    found = re.search(r"/s/[0-9a-f-]{36}/", where) or re.search(r"/s/[0-9a-f-]{36}/", page)
    assert found, page
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        state = re.search(r'class="state state-(\w+)"', visitor.get(f"{found[0]}status/"))
        if state and state[1] not in ("waiting", "running"):
            break
        time.sleep(1)
    assert state, "no state"
    sys.stdout.write(f"{n_records} records uploaded, and {state[1]}\n")
    sys.exit(state[1] != "scored")


if __name__ == "__main__":
    main(sys.argv[1])
