"""URLs of dry runs."""

from django.urls import path

from pwscup.bots import views

urlpatterns = [
    path("organize/<slug:slug>/dry-run/", views.dry_run, name="organize-dry-run"),
    path(
        "organize/<slug:slug>/dry-run/status/", views.dry_run_status, name="organize-dry-run-status"
    ),
]
