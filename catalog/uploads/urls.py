from django.urls import path

from catalog.uploads import report_views, views

urlpatterns = [
    path("add/", views.upload_specs, name="add"),
    path("add/preview/", views.preview, name="add_preview"),
    path("uploads/<str:pk>/", report_views.upload_report, name="upload_report"),
]
