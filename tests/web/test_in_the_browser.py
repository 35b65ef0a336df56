"""Behaviour of pages that only a real Chromium shows: fields that go along, visible focus, widths."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route

from pwscup.contests.models import TableDraft
from scoring.tables.schema import Role
from tests.web.test_looks import browser, person, site
from tests.web.test_organizer_data import TABLE, URL, upload

__all__ = ["browser", "person", "site"]

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]


def shown(person, site, client, address: str):
    """The page of this address, as the client gets it, in the browser."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    site.pages[address] = answer
    person.page.goto(address)
    return person.page


def test_roles_in_the_page_are_sent_with_the_next_file(person, site, oscar, draft):
    """Nobody has to save the roles before a corrected file is uploaded."""
    upload(oscar, draft, TABLE)
    assert TableDraft.objects.get().schema.column("job").role is not Role.SENSITIVE
    page, sent = shown(person, site, oscar, URL), []

    def post(route: Route) -> None:
        sent.append((route.request.headers["content-type"], route.request.post_data_buffer))
        route.fulfill(status=200, body="received", content_type="text/html")

    page.route(f"**{URL}", post)
    page.get_by_label("role of job", exact=True).select_option("sensitive")
    file = {"name": "corrected.csv", "mimeType": "text/csv", "buffer": TABLE}
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Upload", exact=True).click()
    page.get_by_text("received").wait_for()
    [(kind, data)] = sent
    oscar.generic("POST", URL, data, content_type=kind)
    kept = TableDraft.objects.get()
    assert kept.file.name == "corrected.csv"
    assert kept.schema.column("job").role is Role.SENSITIVE
