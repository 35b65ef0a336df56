from django.urls import path

from pwscup.core import mailbox, views

urlpatterns = [
    path("mail/", mailbox.mail, name="mail"),
    path("library/<str:name>", views.library, name="library"),
]
