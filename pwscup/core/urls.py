# SPDX-License-Identifier: Apache-2.0

from django.urls import path

from pwscup.core import mailbox, views
from pwscup.core.help import views as help_views
from pwscup.core.http import themes

urlpatterns = [
    path("mail/", mailbox.mail, name="mail"),
    path("theme/", themes.set_theme, name="set_theme"),
    path("about/", views.about, name="about"),
    path("status/", views.status, name="status"),
    path("help/", help_views.help_page, name="help"),
    path("help/search/", help_views.help_search, name="help-search"),
    path("help/files/<path:name>", help_views.help_file, name="help-file"),
    path("help/<path:address>/", help_views.help_page, name="help-page"),
    path("library/<str:name>", views.library, name="library"),
]
