# SPDX-License-Identifier: Apache-2.0
"""URLs of news, questions, email preferences and webhooks."""

from django.urls import path
from django.views.decorators.http import require_safe

from pwscup.notices import feeds, organizer, views

urlpatterns = [
    path("toasts/", views.toasts, name="toasts"),
    path("c/<slug:slug>/news/", views.news, name="news"),
    path("c/<slug:slug>/news/feed.xml", require_safe(feeds.NewsFeed()), name="news-feed"),
    path("c/<slug:slug>/news/e-mail/", views.mail_preferences, name="mail-preferences"),
    path("c/<slug:slug>/questions/", views.questions, name="questions"),
    path("c/<slug:slug>/questions/<uuid:public_id>/", views.question, name="question"),
    path("unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
    path("organize/<slug:slug>/news/", organizer.news, name="organize-news"),
    path(
        "organize/<slug:slug>/news/<int:number>/",
        organizer.announcement,
        name="organize-announcement",
    ),
    path(
        "organize/<slug:slug>/news/<int:number>/withdraw/",
        organizer.withdraw,
        name="organize-announcement-withdraw",
    ),
    path("organize/<slug:slug>/questions/", organizer.questions, name="organize-questions"),
    path(
        "organize/<slug:slug>/questions/<uuid:public_id>/",
        organizer.question,
        name="organize-question",
    ),
    path(
        "organize/<slug:slug>/questions/<uuid:public_id>/publish/",
        organizer.clarify,
        name="organize-question-publish",
    ),
    path("organize/<slug:slug>/webhooks/", organizer.webhooks, name="organize-webhooks"),
    path(
        "organize/<slug:slug>/webhooks/<uuid:public_id>/",
        organizer.webhook,
        name="organize-webhook",
    ),
]
