# SPDX-License-Identifier: Apache-2.0
"""URLs of rules and re-scorings."""

from django.urls import path

from pwscup.rescores import views

urlpatterns = [
    path("organize/<slug:slug>/rules/", views.rules, name="organize-rules"),
    path("organize/<slug:slug>/rules/preview/", views.rules_preview, name="organize-rules-preview"),
    path(
        "organize/<slug:slug>/rules/<int:number>.toml",
        views.rules_version,
        name="organize-rules-version",
    ),
    path("organize/<slug:slug>/rescore/", views.rescore, name="organize-rescore"),
    path(
        "organize/<slug:slug>/rescore/status/", views.rescore_status, name="organize-rescore-status"
    ),
]
