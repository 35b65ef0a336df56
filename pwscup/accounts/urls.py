# SPDX-License-Identifier: Apache-2.0
"""The account of a user; allauth's pages are under accounts/."""

from django.urls import path

from pwscup.accounts import organizers, views

urlpatterns = [
    path("i18n/setlang/", views.set_language, name="set_language"),
    path("account/", views.account, name="account"),
    path("account/link/", views.link_new, name="link-new"),
    path("enter/<slug:token>/", views.enter, name="enter"),
    path("account/tokens/", views.tokens, name="tokens"),
    path("account/tokens/<int:number>/revoke/", views.token_revoke, name="token-revoke"),
    path("site/organizers/", organizers.organizers, name="site-organizers"),
    path("account/delete/", views.account_delete, name="account-delete"),
]
