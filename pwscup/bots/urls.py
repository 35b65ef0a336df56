# SPDX-License-Identifier: Apache-2.0
"""URLs of dry runs and baseline teams."""

from django.urls import path

from pwscup.bots import views

urlpatterns = [
    path(
        "organize/<slug:slug>/teams/baseline/", views.baseline_teams, name="organize-baseline-teams"
    ),
    path("organize/<slug:slug>/dry-run/", views.dry_run, name="organize-dry-run"),
    path(
        "organize/<slug:slug>/dry-run/status/", views.dry_run_status, name="organize-dry-run-status"
    ),
]
