from django.urls import path

from pwscup.core import mailbox

urlpatterns = [
    path("mail/", mailbox.mail, name="mail"),
]
