# SPDX-License-Identifier: Apache-2.0
"""The page of the API's description: the OpenAPI document by topic, without scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pwscup.api import problems

JSON = "application/json"
REFUSED = 400
TOPICS = {
    "contests": gettext_lazy("Contests"),
    "team": gettext_lazy("Team"),
    "files": gettext_lazy("Files"),
    "submissions": gettext_lazy("Submissions"),
    "trials": gettext_lazy("Trials of methods"),
    "disclosure": gettext_lazy("Disclosure of a hidden table"),
    "boards": gettext_lazy("Leaderboard"),
    "news and questions": gettext_lazy("News and questions"),
    "decisions": gettext_lazy("Decisions"),
    "presentations": gettext_lazy("Presentations"),
    "reports": gettext_lazy("Reports"),
    "organizing: contests": gettext_lazy("Organizing: contests"),
    "organizing: table": gettext_lazy("Organizing: table"),
    "organizing: rounds": gettext_lazy("Organizing: rounds"),
    "organizing: teams": gettext_lazy("Organizing: teams"),
    "organizing: materials": gettext_lazy("Organizing: materials and hints"),
    "organizing: appearance": gettext_lazy("Organizing: appearance"),
    "organizing: news and questions": gettext_lazy("Organizing: news and questions"),
    "organizing: submissions": gettext_lazy("Organizing: submissions and decisions"),
    "organizing: leaderboard": gettext_lazy("Organizing: leaderboard"),
    "organizing: rules": gettext_lazy("Organizing: rules, re-scoring and dry run"),
    "organizing: reports": gettext_lazy("Organizing: reports and debriefings"),
    "organizing: archives": gettext_lazy("Organizing: archives and imports"),
}
"""The tags of operations."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type in a table: its text, with the schema that it links to, if it is one."""

    text: str
    schema: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter, or a property of a schema."""

    name: str
    type: Type
    place: str
    is_required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Content:
    """A body of one media type."""

    media: str
    type: Type | None


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    contents: tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """An operation on the page."""

    id: str
    method: str
    path: str
    summary: str
    scope: str
    values: tuple[Value, ...]
    body: tuple[Content, ...]
    answers: tuple[Answer, ...]
    refusals: str


@dataclass(frozen=True, slots=True)
class Topic:
    key: str
    title: str
    operations: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    name: str
    description: str
    values: tuple[Value, ...]


def context(document: Mapping[str, Any]) -> dict[str, Any]:
    """The context of the page, in the reader's language."""
    return {
        "topics": topics(document),
        "schemas": list(schemas(document)),
        "codes": [(status, code, str(text)) for status, (code, text) in problems.OF_STATUS.items()],
    }


def topics(document: Mapping[str, Any]) -> list[Topic]:
    found: dict[str, list[Shown]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            shown = _operation(method.upper(), path, operation)
            found.setdefault(operation["tags"][0], []).append(shown)
    return [
        Topic(tag.replace(":", "").replace(" ", "-"), str(TOPICS[tag]), tuple(operations))
        for tag, operations in found.items()
    ]


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> Shown:
    (scopes,) = operation["security"]
    answers = operation["responses"].items()
    return Shown(
        id=operation["operationId"],
        method=method,
        path=path,
        summary=_(operation["summary"]),
        scope=next(iter(scopes.values()))[0],
        values=tuple(_parameter(one) for one in operation.get("parameters", ())),
        body=_contents(operation.get("requestBody", {})),
        answers=tuple(
            Answer(status, _contents(one)) for status, one in answers if status < REFUSED
        ),
        refusals=", ".join(str(status) for status, _one in answers if status >= REFUSED),
    )


def _parameter(one: Mapping[str, Any]) -> Value:
    return Value(
        one["name"], type_of(one["schema"]), one["in"], one["required"], one.get("description", "")
    )


def _contents(body: Mapping[str, Any]) -> tuple[Content, ...]:
    return tuple(
        Content(
            media,
            type_of(one["schema"]) if media == JSON or "properties" in one["schema"] else None,
        )
        for media, one in body.get("content", {}).items()
    )


def schemas(document: Mapping[str, Any]) -> Iterator[Schema]:
    """Every schema by name, with its properties."""
    for name, one in sorted(document["components"]["schemas"].items()):
        required = one.get("required", ())
        yield Schema(
            name,
            one.get("description", ""),
            tuple(
                Value(key, type_of(of), "", key in required, of.get("description", ""))
                for key, of in one.get("properties", {}).items()
            ),
        )


def type_of(schema: Mapping[str, Any]) -> Type:
    """The type as text: `string`, `list of Round`, `integer or null`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Type(name, name)
    if "anyOf" in schema:
        found = [type_of(one) for one in schema["anyOf"]]
        named = next((one.schema for one in found if one.schema), "")
        return Type(" or ".join(one.text for one in found), named)
    if schema.get("type") == "array" and "items" in schema:
        inner = type_of(schema["items"])
        return Type(f"list of {inner.text}", inner.schema)
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        inner = type_of(schema["additionalProperties"])
        return Type("files" if inner.text == "binary" else f"object of {inner.text}", inner.schema)
    return Type(schema.get("format") or schema.get("type") or "any", note=_bounds(schema))


def _bounds(schema: Mapping[str, Any]) -> str:
    """The bounds of a number or a text."""
    words = {"minimum": "≥", "maximum": "≤", "maxLength": "≤", "maxItems": "≤"}
    return ", ".join(f"{sign} {schema[key]}" for key, sign in words.items() if key in schema)
