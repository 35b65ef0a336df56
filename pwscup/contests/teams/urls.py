"""URLs of the teams of a contest, and of invitation links."""

from django.urls import path

from pwscup.contests.teams import views

urlpatterns = [
    path("c/<slug:slug>/team/", views.team, name="team"),
    path("c/<slug:slug>/team/create/", views.create, name="team-create"),
    path("c/<slug:slug>/team/rename/", views.rename, name="team-rename"),
    path("c/<slug:slug>/team/division/", views.divide, name="team-division"),
    path("c/<slug:slug>/team/leave/", views.leave, name="team-leave"),
    path("c/<slug:slug>/team/invite/", views.invite, name="team-invite"),
    path("c/<slug:slug>/team/revoke/", views.revoke, name="team-revoke"),
    path("c/<slug:slug>/team/transfer/", views.transfer, name="team-transfer"),
    path("c/<slug:slug>/team/remove/", views.remove, name="team-remove"),
    path("join/<slug:token>/", views.invitation, name="invitation"),
]
