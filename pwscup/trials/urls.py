# SPDX-License-Identifier: Apache-2.0
"""URLs of trials."""

from django.urls import path

from pwscup.trials import views

urlpatterns = [
    path("c/<slug:slug>/round/<slug:key>/try/", views.trials, name="trials"),
    path("t/<uuid:public_id>/", views.trial, name="trial"),
    path("t/<uuid:public_id>/status/", views.trial_status, name="trial-status"),
    path("t/<uuid:public_id>/files/<slug:key>/", views.trial_file, name="trial-file"),
    path("t/<uuid:public_id>/submit/", views.trial_submit, name="trial-submit"),
]
