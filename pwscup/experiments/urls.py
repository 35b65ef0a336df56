# SPDX-License-Identifier: Apache-2.0
"""URLs of experiments."""

from django.urls import path

from pwscup.experiments import views

urlpatterns = [
    path("experiments/", views.experiments, name="experiments"),
    path("experiments/new/", views.new, name="experiment-new"),
    path("experiments/compare/", views.compare, name="experiments-compare"),
    path("experiments/<uuid:public_id>/", views.experiment, name="experiment"),
    path("experiments/<uuid:public_id>/status/", views.status, name="experiment-status"),
    path("experiments/<uuid:public_id>/stop/", views.stop, name="experiment-stop"),
    path("experiments/<uuid:public_id>/delete/", views.delete, name="experiment-delete"),
    path("experiments/<uuid:public_id>/results.zip", views.results, name="experiment-zip"),
    path("experiments/<uuid:public_id>/<str:figure>.svg", views.figure, name="experiment-figure"),
    path(
        "experiments/<uuid:public_id>/<str:figure>.csv",
        views.figure_csv,
        name="experiment-figure-csv",
    ),
]
