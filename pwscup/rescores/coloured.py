# SPDX-License-Identifier: Apache-2.0
"""The text of rules with colours: comments, names of tables, keys, texts and numbers."""

from __future__ import annotations

import re

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

_TOKEN = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r'|(?P<text>"""(?s:.)*?"""|\'\'\'(?s:.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
    r"|(?P<table>^[ \t]*\[\[?[^\]\n]+\]\]?)"
    r"|(?P<key>^[ \t]*[A-Za-z0-9_.\-]+(?=[ \t]*=))"
    r"|(?P<number>\b(?:true|false)\b|(?<![\w.])[+-]?\d[\d_]*(?:\.\d+)?(?![\w.]))",
    re.MULTILINE,
)


def coloured(text: str) -> SafeString:
    """TOML as HTML, the kind of each part as a class.

    Examples
    --------
    >>> coloured('a = 1 # b')
    '<span class="toml-key">a</span> = <span class="toml-number">1</span> <span class="toml-comment"># b</span>'
    """
    parts, end = [], 0
    for found in _TOKEN.finditer(text):
        parts.append(format_html("{}", text[end : found.start()]))
        kind = found.lastgroup or ""
        parts.append(format_html('<span class="toml-{}">{}</span>', kind, found.group()))
        end = found.end()
    parts.append(format_html("{}", text[end:]))
    return format_html_join("", "{}", ((part,) for part in parts))
