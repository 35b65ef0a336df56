# SPDX-License-Identifier: Apache-2.0
"""A page as a tree of its elements, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {*("area", "base", "br", "col", "embed", "hr", "img"), *("input", "link", "meta", "source")}


@dataclass(eq=False)
class Node:
    """An element, with what stands in it in order."""

    name: str
    attributes: dict[str, str]
    parent: Node | None = None
    contents: list[Node | str] = field(default_factory=list)

    def __getitem__(self, attribute: str) -> str:
        """The attribute; empty where there is none."""
        return self.attributes.get(attribute, "")

    @property
    def classes(self) -> set[str]:
        return set(self["class"].split())

    @property
    def words(self) -> str:
        """All of its text."""
        parts = (one if isinstance(one, str) else one.words for one in self.contents)
        return " ".join("".join(parts).split())

    def below(self, *names: str) -> Iterator[Node]:
        """Everything in it with one of these names, or everything."""
        for one in self.contents:
            if isinstance(one, Node):
                if not names or one.name in names:
                    yield one
                yield from one.below(*names)

    def above(self, *names: str) -> Iterator[Node]:
        """The elements around it with one of these names, from the nearest."""
        if self.parent is not None:
            if not names or self.parent.name in names:
                yield self.parent
            yield from self.parent.above(*names)

    def __str__(self) -> str:
        given = "".join(f' {name}="{value}"' for name, value in self.attributes.items())
        return f"<{self.name}{given}>"[:160]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.at = Node("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.contents.append(node)
        if tag not in VOID:
            self.at = node

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        around = [self.at, *self.at.above()]
        closed = next((node for node in around if node.name == tag), None)
        if closed is not None and closed.parent is not None:
            self.at = closed.parent

    def handle_data(self, data: str) -> None:
        self.at.contents.append(data)


def tree(html: str) -> Node:
    """The root of a page."""
    reader = _Reader()
    reader.feed(html)
    return reader.root
