# SPDX-License-Identifier: Apache-2.0
"""All URLs: each app defines its own."""

from django.urls import include, path

handler500 = "pwscup.core.views.failed"
urlpatterns = [
    path("", include("pwscup.core.urls")),
    path("", include("pwscup.accounts.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("", include("pwscup.api.urls")),
    path("", include("pwscup.experiments.urls")),
    path("", include("pwscup.submissions.urls")),
    path("", include("pwscup.disclosure.urls")),
    path("", include("pwscup.audits.urls")),
    path("", include("pwscup.rescores.urls")),
    path("", include("pwscup.bots.urls")),
    path("", include("pwscup.trials.urls")),
    path("", include("pwscup.reports.urls")),
    path("", include("pwscup.archives.urls")),
    path("", include("pwscup.notices.urls")),
    path("", include("pwscup.debriefings.urls")),
    path("", include("pwscup.participants.urls")),
    path("", include("pwscup.leaderboards.urls")),
    path("", include("pwscup.contests.teams.urls")),
    path("", include("pwscup.contests.urls")),
]
