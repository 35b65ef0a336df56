"""URLs of the API and of its OpenAPI document."""

from django.urls import include, path

from pwscup.api.main import api
from pwscup.api.views import openapi

patterns, *_names = api.urls

urlpatterns = [
    path("api/v1/openapi.json", openapi, name="api-openapi"),
    path("api/v1/", include(patterns)),
]
