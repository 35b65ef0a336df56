# SPDX-License-Identifier: Apache-2.0
"""URLs of disclosures of a hidden table."""

from django.urls import path

from pwscup.disclosure import views

urlpatterns = [
    path("c/<slug:slug>/round/<slug:key>/ask/", views.ask, name="ask"),
    path("c/<slug:slug>/round/<slug:key>/answers.zip", views.answers_zip, name="answers-zip"),
    path("c/<slug:slug>/round/<slug:key>/released.csv", views.batch_release, name="batch-release"),
    path("c/<slug:slug>/round/<slug:key>/estimate.csv", views.template, name="estimate-template"),
    path("q/<uuid:public_id>/", views.answer, name="answer"),
    path("q/<uuid:public_id>.csv", views.answer_csv, name="answer-csv"),
    path("organize/<slug:slug>/disclosure/", views.organize_disclosure, name="organize-disclosure"),
]
