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

LINK = re.compile(r"""(?:href|src|action|data-[a-z-]+|hx-get)=["']([^"'#]+)""")
MAX_PAGES = 1500


def patterns(
    resolver: URLResolver | None = None, namespaces: Sequence[str] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every address by its name, with the names of its parameters."""
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLResolver):
            inner = [*namespaces, entry.namespace] if entry.namespace else namespaces
            for name, parameters in patterns(entry, inner):
                yield name, tuple(dict.fromkeys([*entry.pattern.converters, *parameters]))
        elif isinstance(entry, URLPattern) and entry.name:
            parameters = entry.pattern.converters or entry.pattern.regex.groupindex
            yield ":".join([*namespaces, entry.name]), tuple(parameters)


def addresses(candidates: Mapping[str, Sequence[str]]) -> list[str]:
    """The address of every name, with every combination of what may stand for its parameters.

    A parameter that `candidates` does not know is an error: a new address is then not covered.
    """
    found = []
    for name, parameters in patterns():
        unknown = [parameter for parameter in parameters if parameter not in candidates]
        if unknown:
            raise LookupError(f"address {name!r}: name values for its parameters {unknown}")
        for values in itertools.product(*(candidates[parameter] for parameter in parameters)):
            try:
                found.append(reverse(name, kwargs=dict(zip(parameters, values, strict=True))))
            except NoReverseMatch:  # a value that this parameter's converter does not take
                continue
    return found


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
    """The addresses of this site that a page names, static files apart."""
    found = (unescape(match) for match in LINK.findall(body.decode()))
    return [a for a in found if a.startswith("/") and not a.startswith(("//", "/static/"))]
