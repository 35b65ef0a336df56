"""A person's own account; allauth's pages hang under accounts/."""

from django.urls import path

from pwscup.accounts import views

urlpatterns = [
    path("account/", views.account, name="account"),
    path("account/delete/", views.account_delete, name="account-delete"),
]
