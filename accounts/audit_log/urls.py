from django.urls import path

from accounts.audit_log import views

urlpatterns = [
    path("audit/", views.audit_log, name="audit"),
    path("audit/export/", views.export_audit_log, name="audit_export"),
]
