# SPDX-License-Identifier: Apache-2.0
"""Light or dark: by the system's preference, or as chosen and kept in a cookie."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

pytestmark = pytest.mark.django_db
BY_PREFERENCE = 'css/dark.css" media="(prefers-color-scheme: dark)"'


def page(client: Client) -> str:
    return client.get("/accounts/login/").text


def choose(client: Client, theme: str, back: str = "/") -> str:
    return client.post(reverse("set_theme"), {"theme": theme, "next": back}).url


def test_the_system_decides_until_somebody_chooses(client):
    assert BY_PREFERENCE in page(client)
    choose(client, "dark")
    assert "css/dark.css" in page(client)
    assert BY_PREFERENCE not in page(client)
    choose(client, "light")
    assert "css/dark.css" not in page(client)
    choose(client, "system")
    assert BY_PREFERENCE in page(client)


def test_the_switch_returns_to_a_page_of_this_site_only(client):
    assert choose(client, "dark", "/c/cup/?board=scores") == "/c/cup/?board=scores"
    assert choose(client, "dark", "https://elsewhere.example/") == "/"
    assert choose(client, "dark", "//elsewhere.example/") == "/"


def test_a_cookie_with_another_value_is_ignored(client):
    client.cookies["theme"] = '"><script>'
    assert BY_PREFERENCE in page(client)
    assert "<script>" not in page(client).split("<title>")[0]
