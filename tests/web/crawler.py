# SPDX-License-Identifier: Apache-2.0
"""Walks every address of the site, as the resolver knows them, and every link found on the way."""

from __future__ import annotations

import io
import itertools
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from html import unescape

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.exceptions import NoReverseMatch

OF_FILES = ("help", "help-page", "help-file", "help-search")
"""Pages made of the documentation alone, the same for everybody: `test_help` reads them all."""
PARAMETER = re.compile(r"(?:\(\?P)?<(?:\w+:)?(\w+)>")
LINK = re.compile(r"""(?:href|src|action|data-[a-z-]+|hx-get)=["']([^"'#]+)""")
MAX_PAGES = 1500


def patterns(
    resolver: URLResolver | None = None, namespaces: Sequence[str] = (), route: str = ""
) -> Iterator[tuple[str, str]]:
    """Every address by its name, with its route."""
    for entry in (resolver or get_resolver()).url_patterns:
        whole = route + str(entry.pattern)
        if isinstance(entry, URLResolver):
            inner = [*namespaces, entry.namespace] if entry.namespace else namespaces
            yield from patterns(entry, inner, whole)
        elif isinstance(entry, URLPattern) and entry.name:
            yield ":".join([*namespaces, entry.name]), whole


def parameters(route: str) -> dict[str, str]:
    """The parameters of a route, each with the segment before it: `s/public_id` is a submission's."""
    found = {}
    for match in PARAMETER.finditer(route):
        before = route[: match.start()].rstrip("/").rpartition("/")[2]
        found[match[1]] = f"{before}/{match[1]}"
    return found


def addresses(candidates: Mapping[str, Sequence[str]]) -> list[str]:
    """The address of every name, with every combination of what may stand for its parameters.

    `s/public_id` in `candidates` is for that parameter after that segment, `public_id` anywhere else.
    A parameter that `candidates` does not know is an error, and so is a name for which nothing fits:
    a new address is then not covered.
    """
    found = []
    for name, route in dict.fromkeys(patterns()):
        if name in OF_FILES:
            continue
        named = parameters(route)
        unknown = [parameter for parameter in named if parameter not in candidates]
        if unknown:
            raise LookupError(f"address {name!r}: name values for its parameters {unknown}")
        choices = [candidates.get(where, candidates[plain]) for plain, where in named.items()]
        n_before = len(found)
        for values in itertools.product(*choices):
            try:
                found.append(reverse(name, kwargs=dict(zip(named, values, strict=True))))
            except NoReverseMatch:  # a value that this parameter's converter does not take
                continue
        if len(found) == n_before:
            raise LookupError(f"address {name!r}: no value fits its parameters {list(named)}")
    return list(dict.fromkeys(found))


def crawl(client: Client, start: Sequence[str]) -> Iterator[tuple[str, int, bytes]]:
    """Get every address and whatever it links to on this site: address, status, headers and body."""
    todo, seen = list(start), set(start)
    while todo:
        if len(seen) > MAX_PAGES:
            raise RuntimeError(f"more than {MAX_PAGES} addresses; the last was {todo[-1]}")
        address = todo.pop(0)
        response = client.get(address)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        headers = "\n".join(f"{key}: {value}" for key, value in response.items()).encode()
        cookies = response.cookies.output().encode()
        yield address, response.status_code, b"\n".join([headers, cookies, *contents(body)])
        if "html" in response.get("Content-Type", ""):
            for link in links(body):
                if link not in seen:
                    seen.add(link)
                    todo.append(link)


def contents(body: bytes) -> list[bytes]:
    """A body and, where it is an archive, the names and contents of what it holds."""
    if not body.startswith(b"PK\x03\x04"):
        return [body]
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        inside = [part for n in archive.namelist() for part in (n.encode(), archive.read(n))]
    return [body, *inside]


def links(body: bytes) -> list[str]:
    """The addresses of this site that a page names, without files of the project and ways back after a log-in."""
    found = (unescape(match).partition("?next=")[0] for match in LINK.findall(body.decode()))
    return [
        a for a in found if a.startswith("/") and not a.startswith(("//", "/static/", "/help/"))
    ]
