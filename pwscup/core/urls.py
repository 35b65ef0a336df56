from django.urls import path

from pwscup.core import mailbox, views

urlpatterns = [
    path("healthz", views.health, name="health"),
    path("mail/", mailbox.mail, name="mail"),
]
