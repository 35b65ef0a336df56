# SPDX-License-Identifier: Apache-2.0
"""Pages for what goes wrong: in the site's look, in both languages, without anything of the inside."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import path
from django.views.defaults import server_error

from pwscup.urls import urlpatterns as site


def broken(request):
    raise RuntimeError("canary-of-the-inside")


urlpatterns = [*site, path("broken/", broken)]


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_pages_render_without_any_context(name):
    assert "<h1>" in render_to_string(f"{name}.html")


@pytest.mark.django_db
def test_an_unknown_address_offers_the_log_in(client):
    response = client.get("/no/such/page/")
    assert response.status_code == 404
    assert b"/accounts/login/?next=%2Fno%2Fsuch%2Fpage%2F" in response.content


@pytest.mark.django_db
@pytest.mark.urls("tests.web.test_error_pages")
def test_a_failure_of_ours_shows_nothing_of_the_inside():
    response = Client(raise_request_exception=False).get("/broken/")
    assert response.status_code == 500
    assert b"canary" not in response.content
    assert b"Traceback" not in response.content


@pytest.mark.django_db
def test_a_form_without_its_token_is_explained():
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {"login": "a@example.org"})
    assert response.status_code == 403
    assert b"<h1>" in response.content


def test_the_failure_page_needs_no_database(rf):
    assert server_error(rf.get("/")).status_code == 500
