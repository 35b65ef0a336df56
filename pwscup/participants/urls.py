# SPDX-License-Identifier: Apache-2.0
"""URLs of the own home, results in tabs, and the pages of teams."""

from django.urls import path

from pwscup.participants import views

urlpatterns = [
    path("s/<uuid:public_id>/", views.submission, name="submission"),
    path("s/<uuid:public_id>/note/", views.submission_note, name="submission-note"),
    path("s/<uuid:public_id>/data/", views.submission_data, name="submission-data"),
    path("s/<uuid:public_id>/data.csv", views.submission_data_csv, name="submission-data-csv"),
    path("s/<uuid:public_id>/history/", views.submission_history, name="submission-history"),
    path(
        "s/<uuid:public_id>/history.csv",
        views.submission_history_csv,
        name="submission-history-csv",
    ),
    path("c/<slug:slug>/round/<slug:key>/places/", views.round_places, name="round-places"),
    path("", views.home, name="home"),
    path("c/<slug:slug>/board/trail.svg", views.board_trail, name="board-trail"),
    path("c/<slug:slug>/teams/<int:number>/", views.team_page, name="team-page"),
    path(
        "c/<slug:slug>/teams/<int:number>/history.csv",
        views.team_history_csv,
        name="team-history-csv",
    ),
]
