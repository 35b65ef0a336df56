"""Addresses of the leaderboards."""

from django.urls import path

from pwscup.leaderboards import views

urlpatterns = [
    path("c/<slug:slug>/board/", views.board, name="board"),
    path("c/<slug:slug>/board/fragment/", views.board_fragment, name="board-fragment"),
    path("c/<slug:slug>/board.csv", views.board_csv, name="board-csv"),
    path("s/<uuid:public_id>/ranks/", views.submission_ranks, name="submission-ranks"),
]
