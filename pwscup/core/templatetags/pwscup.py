# SPDX-License-Identifier: Apache-2.0
"""Filters and tags for all pages: times in the contest's zone, formatted numbers."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django import template
from django.template import RequestContext
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pwscup.core.help import links
from pwscup.core.help.pages import Page
from pwscup.core.help.rendering import address_of
from pwscup.core.texts import moments, parts, regions
from pwscup.core.texts.moments import shown_moment

register = template.Library()


@register.filter
def machine_time(moment: datetime) -> str:
    """A time for programs, to the second: HTML allows three further digits at most."""
    return moment.isoformat(timespec="seconds")


LONGEST_TITLE = 80
SENTENCE_ENDS = (".", "。", ":", "：", ",", "、", ";")


@register.filter
def titled_paragraphs(text: str) -> SafeString:
    """Plain text as paragraphs; a short first line that is no sentence is the title of its paragraph, in bold."""
    paragraphs = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    return format_html_join("\n", "<p>{}</p>", ((_titled(one),) for one in paragraphs))


def _titled(paragraph: str) -> SafeString:
    first, _newline, rest = paragraph.partition("\n")
    is_title = rest and len(first) <= LONGEST_TITLE and not first.rstrip().endswith(SENTENCE_ENDS)
    head = format_html("<strong>{}</strong>", first) if is_title else first
    lines = [head, *rest.split("\n")] if rest else [head]
    return format_html_join(mark_safe("<br>"), "{}", ((line,) for line in lines))


@register.filter
def breakable(name: str) -> SafeString:
    """A long name of a column, which may go on in a new line after an underscore."""
    return mark_safe(conditional_escape(name).replace("_", "_<wbr>"))  # noqa: S308 — is escaped


@register.filter
def zone_name(zone: str) -> str:
    """The name of a time zone: `{{ contest.timezone|zone_name }}`."""
    return moments.zone_name(zone)


@register.filter
def your_time(moment: datetime | None) -> str | SafeString:
    """A time that belongs to no contest: in UTC, which a script replaces by the time zone of the reader's computer."""
    if moment is None:
        return ""
    return format_html(
        '<time datetime="{}" class="text-nowrap" data-your-time>{}</time>',
        machine_time(moment),
        shown_moment(moment, UTC),
    )


@register.filter
def at(moment: datetime | None, zone: ZoneInfo | str) -> str | SafeString:
    """A time in a contest's own time zone, with the zone: `{{ round.opens_at|at:contest.tz }}`."""
    if moment is None:
        return ""
    return format_html(
        '<time datetime="{}" class="text-nowrap">{}</time>',
        machine_time(moment),
        time_text(moment, zone),
    )


@register.filter
def time_text(moment: datetime, zone: ZoneInfo | str) -> str:
    """The same as text, for attributes: `data-confirm="… {{ round.opens_at|time_text:contest.tz }}"`."""
    return shown_moment(moment, ZoneInfo(zone) if isinstance(zone, str) else zone)


@register.filter
def clock(moment: datetime, zone: ZoneInfo) -> str:
    """The time of day in a contest's zone, to the second."""
    return f"{moment.astimezone(zone):%H:%M:%S}"


@register.filter
def measure(value: float | int | None) -> str:
    """A measure with at most six significant digits; a missing one as a dash."""
    if value is None:
        return "–"
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1_000_000 else f"{value:,.6g}"


@register.filter
def percent(value: float | None) -> str:
    """A rate between 0 and 1 as a percentage."""
    return "–" if value is None else parts.percent(f"{100 * value:.2f}")


@register.filter
def percents(number: object) -> str:
    """A whole number of per cent with the sign of the reader's language."""
    return parts.percent(str(number))


@register.filter
def then(address: str, following: str) -> str:
    """A URL that leads to another one afterwards: `{{ terms_first|then:file.url }}`."""
    return f"{address.partition('?')[0]}?{urlencode({'next': following})}"


@register.filter
def named(name: object, text: object) -> str:
    """A name and its text, with the colon of the reader's language: `{{ field.label|named:error }}`."""
    return parts.named(name, text)


@register.filter
def noted(text: object, note: object) -> str:
    """A text with a note in the brackets of the reader's language: `{{ title|noted:id }}`."""
    return parts.noted(text, note)


@register.filter(is_safe=True)
def bracketed(note: object) -> str:
    """A note in brackets that follows an element: `<b>{{ title }}</b>{{ id|bracketed }}`."""
    return parts.noted("", note)


@register.simple_tag
def colon() -> str:
    """The colon between a name and its text, where they are elements."""
    return parts.named("", "")


@register.simple_tag
def random_text() -> str:
    """128 random bits, as hexadecimal digits."""
    return secrets.token_hex(16)


@register.simple_tag
def gap() -> str:
    """What separates two sentences of a paragraph."""
    return parts.gap()


@register.simple_tag
def comma() -> str:
    """The comma between the parts of a list, where they are elements."""
    return parts.listed(("", ""))


@register.filter
def listed(parts_: Iterable[object]) -> str:
    """The parts of a list in one line, with the comma of the reader's language."""
    return parts.listed(parts_)


@register.filter
def item(mapping: dict, key: object) -> object:
    """Look a key up: `{{ ranks|item:measure.id }}`."""
    return mapping.get(key) if mapping else None


@register.simple_tag(takes_context=True)
def part(context: RequestContext, name: str) -> SafeString:
    """A part of a page that the contest's format provides, in the context of that page."""
    assert context.template is not None
    template = context.template.engine.select_template(context["contest"].format.templates(name))
    return mark_safe(template.render(context).strip())  # noqa: S308 — a line's end would be a space


@register.simple_tag
def scrolls(*names: object, kind: regions.Kind = "table") -> SafeString:
    """The attributes of an element that scrolls, with its name: `<div {% scrolls title %}>`."""
    return regions.scrolling(*names, kind=kind)


@register.simple_tag
def help_url(key: str) -> str:
    """The address of a page of the documentation, by its key in `pwscup.core.help.links`."""
    return links.help_address(key, _language())


@register.simple_tag
def help_link(key: str, text: str = "") -> SafeString:
    """A link into the documentation; without a text it asks how the file of a form is made."""
    return format_html(
        '<a class="help-link" href="{}">{}</a>', help_url(key), text or _("How is this file made?")
    )


@register.simple_tag
def measure_help(id_: str) -> str | SafeString:
    """A question mark that leads to the description of a measure; nothing for one that a ruleset defines."""
    address = links.measure_address(id_, _language())
    if address is None:
        return ""
    label = _("What is %(measure)s?") % {"measure": id_}
    return format_html(
        '<a class="help-mark" href="{}" title="{}" aria-label="{}">?</a>', address, label, label
    )


@register.filter
def help_page(page: Page) -> str:
    """The address of a page of the documentation on this platform."""
    return address_of(page)


def _language() -> str:
    return (get_language() or "en").partition("-")[0]
