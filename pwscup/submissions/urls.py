# SPDX-License-Identifier: Apache-2.0
"""URLs of rounds, submissions and published tables."""

from django.urls import path

from pwscup.submissions import views
from pwscup.submissions.decisions import views as decision_views
from pwscup.submissions.judging import views as mark_views
from pwscup.submissions.judging import vote_views
from pwscup.submissions.live import views as live_views
from pwscup.submissions.proof import views as proof_views

urlpatterns = [
    path("c/<slug:slug>/round/<slug:key>/", views.round_page, name="round"),
    path("c/<slug:slug>/round/<slug:key>/targets.zip", views.targets_zip, name="targets-zip"),
    path("c/<slug:slug>/round/<slug:key>/history/", views.round_history, name="round-history"),
    path("c/<slug:slug>/round/<slug:key>/check.json", views.round_check, name="round-check"),
    path("c/<slug:slug>/round/<slug:key>/marks/", mark_views.round_marks, name="marks"),
    path("c/<slug:slug>/round/<slug:key>/timer/", mark_views.round_timer, name="timer"),
    path("c/<slug:slug>/round/<slug:key>/vote/", vote_views.vote, name="vote"),
    path(
        "c/<slug:slug>/round/<slug:key>/vote/organize/",
        vote_views.organize_vote,
        name="organize-vote",
    ),
    path("v/<slug:token>/", vote_views.guest_vote, name="guest-vote"),
    path("c/<slug:slug>/round/<slug:key>/slides/<slug:team>/", mark_views.slides, name="slides"),
    path("c/<slug:slug>/round/<slug:key>/original/", views.original_choose, name="original-choose"),
    path("c/<slug:slug>/round/<slug:key>/awaited/", views.round_awaited, name="round-awaited"),
    path("s/<uuid:public_id>/status/", views.submission_status, name="submission-status"),
    path("s/<uuid:public_id>/files/<slug:key>/", views.submission_file, name="submission-file"),
    path("s/<uuid:public_id>/cancel/", views.submission_cancel, name="submission-cancel"),
    path("s/<uuid:public_id>/choose/", views.submission_choose, name="submission-choose"),
    path("s/<uuid:public_id>/appeal/", decision_views.submission_appeal, name="submission-appeal"),
    path("s/<uuid:public_id>/rule/", decision_views.submission_rule, name="submission-rule"),
    path("c/<slug:slug>/decisions/", decision_views.decisions, name="decisions"),
    path(
        "organize/<slug:slug>/decisions/",
        decision_views.organize_decisions,
        name="organize-decisions",
    ),
    path("s/<uuid:public_id>/receipt/", proof_views.receipt, name="receipt"),
    path("s/<uuid:public_id>/receipt.json", proof_views.receipt_json, name="receipt-json"),
    path("c/<slug:slug>/reveal.json", proof_views.reveal, name="reveal"),
    path("organize/<slug:slug>/reveal/", proof_views.organize_reveal, name="organize-reveal"),
    path("c/<slug:slug>/data/team/<slug:team>/<str:name>", views.team_data, name="team-data"),
    path("r/<uuid:public_id>.csv", views.release, name="release"),
    path("r/<uuid:public_id>/candidates.csv", views.release_candidates, name="release-candidates"),
    path(
        "organize/<slug:slug>/submissions/", views.organize_submissions, name="organize-submissions"
    ),
    path("organize/<slug:slug>/live/", live_views.live, name="organize-live"),
    path("organize/<slug:slug>/live.csv", live_views.live_csv, name="organize-live-csv"),
    path("organize/<slug:slug>/retry/", views.organize_retry, name="organize-retry"),
    path(
        "organize/<slug:slug>/submissions.csv",
        views.organize_submissions_csv,
        name="organize-submissions-csv",
    ),
]
