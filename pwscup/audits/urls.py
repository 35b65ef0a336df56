# SPDX-License-Identifier: Apache-2.0
"""URLs of audits."""

from django.urls import path

from pwscup.audits import views

urlpatterns = [
    path("s/<uuid:public_id>/audit/", views.audit, name="audit"),
    path("s/<uuid:public_id>/audit/status/", views.audit_status, name="audit-status"),
    path("s/<uuid:public_id>/audit/report.html", views.audit_report, name="audit-report"),
]
