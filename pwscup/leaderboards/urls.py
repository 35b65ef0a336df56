# SPDX-License-Identifier: Apache-2.0
"""URLs of the leaderboards."""

from django.urls import path

from pwscup.leaderboards import views
from pwscup.leaderboards.ceremony import views as ceremony_views

urlpatterns = [
    path("c/<slug:slug>/board/", views.board, name="board"),
    path("c/<slug:slug>/board/fragment/", views.board_fragment, name="board-fragment"),
    path("c/<slug:slug>/board/projector/", views.projector, name="projector"),
    path(
        "c/<slug:slug>/board/projector/fragment/",
        views.projector_fragment,
        name="projector-fragment",
    ),
    path("c/<slug:slug>/board/history/", views.board_history, name="board-history"),
    path("c/<slug:slug>/board/history.csv", views.board_history_csv, name="board-history-csv"),
    path("c/<slug:slug>/board.csv", views.board_csv, name="board-csv"),
    path("s/<uuid:public_id>/ranks/", views.submission_ranks, name="submission-ranks"),
    path("c/<slug:slug>/ceremony/", ceremony_views.ceremony, name="ceremony"),
    path(
        "c/<slug:slug>/ceremony/fragment/",
        ceremony_views.ceremony_fragment,
        name="ceremony-fragment",
    ),
    path("organize/<slug:slug>/board/", ceremony_views.organize_board, name="organize-board"),
    path("organize/<slug:slug>/board/freeze/", ceremony_views.freeze, name="organize-freeze"),
    path("organize/<slug:slug>/board/thaw/", ceremony_views.reveal, name="organize-thaw"),
    path("organize/<slug:slug>/ceremony/", ceremony_views.stage, name="organize-ceremony"),
    path(
        "organize/<slug:slug>/ceremony/fragment/",
        ceremony_views.stage_fragment,
        name="organize-ceremony-fragment",
    ),
    path(
        "organize/<slug:slug>/ceremony/start/",
        ceremony_views.start,
        name="organize-ceremony-start",
    ),
    path("organize/<slug:slug>/ceremony/move/", ceremony_views.move, name="organize-ceremony-move"),
    path("organize/<slug:slug>/ceremony/end/", ceremony_views.end, name="organize-ceremony-end"),
]
