# SPDX-License-Identifier: Apache-2.0
"""URLs of certificates and final reports."""

from django.urls import path

from pwscup.reports import views

urlpatterns = [
    path("c/<slug:slug>/certificate.pdf", views.certificate, name="certificate"),
    path("c/<slug:slug>/report.html", views.report, name="report"),
    path("organize/<slug:slug>/certificates.pdf", views.certificates, name="organize-certificates"),
    path("organize/<slug:slug>/report/", views.organize_report, name="organize-report"),
    path("organize/<slug:slug>/report/publish/", views.publish, name="organize-report-publish"),
    path("organize/<slug:slug>/report/status/", views.status, name="organize-report-status"),
    path("organize/<slug:slug>/report/preview.html", views.preview, name="organize-report-preview"),
]
