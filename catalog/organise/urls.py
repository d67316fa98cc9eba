from django.urls import path

from catalog.organise import views

urlpatterns = [
    path("organise/", views.organise_matches, name="organise_matches"),
    path("toolkits/<str:name>/settings/", views.toolkit_settings, name="toolkit_settings"),
    path("tools/<str:slug>/settings/", views.tool_settings, name="tool_settings"),
]
