# SPDX-License-Identifier: Apache-2.0
"""A saved page runs nothing and fetches nothing, whatever a name in it looks like."""

from __future__ import annotations

import re

from scoring.reporting.document import POLICY, document


def test_a_page_carries_its_policy_before_anything_that_could_run():
    page = document("<b>", "p { }", "<p>x</p>")
    head = page[: page.index("<title>")]
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in head
    rules = dict(rule.strip().split(" ", 1) for rule in POLICY.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert not re.search(r"script|\bhttps?:|\*", POLICY)
