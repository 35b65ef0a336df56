# SPDX-License-Identifier: Apache-2.0
"""URLs of the teams of a contest, and of invitation links."""

from django.urls import path, register_converter

from pwscup.contests.teams import joining, views

register_converter(joining.CodeConverter, "class_code")

urlpatterns = [
    path("c/<slug:slug>/team/", views.team, name="team"),
    path("c/<slug:slug>/team/create/", views.create, name="team-create"),
    path("c/<slug:slug>/team/rename/", views.rename, name="team-rename"),
    path("c/<slug:slug>/team/contribution/", views.contribute, name="team-contribute"),
    path("c/<slug:slug>/team/short-name/", views.shorten, name="team-short-name"),
    path("c/<slug:slug>/team/profile/", views.profile, name="team-profile"),
    path("c/<slug:slug>/team/division/", views.divide, name="team-division"),
    path("c/<slug:slug>/team/leave/", views.leave, name="team-leave"),
    path("c/<slug:slug>/team/invite/", views.invite, name="team-invite"),
    path("c/<slug:slug>/team/revoke/", views.revoke, name="team-revoke"),
    path("c/<slug:slug>/team/transfer/", views.transfer, name="team-transfer"),
    path("c/<slug:slug>/team/remove/", views.remove, name="team-remove"),
    path("c/<slug:slug>/joined/", joining.joined, name="joined"),
    path("join/", joining.enter_code, name="join"),
    path("join/<class_code:code>/", joining.join, name="join-class"),
    path("join/<slug:token>/", views.invitation, name="invitation"),
]
