# SPDX-License-Identifier: Apache-2.0
"""URLs of debriefings."""

from django.urls import path

from pwscup.debriefings import views

urlpatterns = [
    path("c/<slug:slug>/debriefing/", views.debriefing, name="debriefing"),
    path("c/<slug:slug>/debriefing/status/", views.debriefing_status, name="debriefing-status"),
    path("organize/<slug:slug>/debriefing/", views.organize, name="organize-debriefing"),
    path(
        "organize/<slug:slug>/debriefing/examples/",
        views.organize_examples,
        name="organize-debriefing-examples",
    ),
    path(
        "organize/<slug:slug>/debriefing/again/",
        views.organize_again,
        name="organize-debriefing-again",
    ),
    path(
        "organize/<slug:slug>/debriefing/<slug:team>/<slug:key>/",
        views.organize_part,
        name="organize-debriefing-part",
    ),
]
