# SPDX-License-Identifier: Apache-2.0
"""URLs of the API, of its OpenAPI document, and of the page that shows it."""

from django.urls import include, path

from pwscup.api.main import api
from pwscup.api.views import docs, openapi

patterns, *_names = api.urls

urlpatterns = [
    path("api/v1/openapi.json", openapi, name="api-openapi"),
    path("api/v1/docs", docs, name="api-docs"),
    path("api/v1/", include(patterns)),
]
