# SPDX-License-Identifier: Apache-2.0
"""URLs of archives."""

from django.urls import path

from pwscup.archives import views
from pwscup.archives.codabench import views as codabench

urlpatterns = [
    path("organize/import/", views.import_contest, name="organize-import"),
    path("organize/import/status/", views.import_status, name="organize-import-status"),
    path("organize/import/codabench/", codabench.upload, name="organize-codabench"),
    path(
        "organize/import/codabench/<int:number>/",
        codabench.bundle,
        name="organize-codabench-bundle",
    ),
    path("organize/<slug:slug>/archive/", views.archive, name="organize-archive"),
    path(
        "organize/<slug:slug>/archive/status/", views.archive_status, name="organize-archive-status"
    ),
    path(
        "organize/<slug:slug>/archive/<int:number>.zip",
        views.archive_file,
        name="organize-archive-file",
    ),
    path(
        "organize/<slug:slug>/archive/<int:number>/delete/",
        views.archive_delete,
        name="organize-archive-delete",
    ),
    path(
        "organize/<slug:slug>/archive/history.jsonl",
        views.history,
        name="organize-archive-history",
    ),
    path("c/<slug:slug>/team/archive/", views.consent, name="team-archive"),
]
