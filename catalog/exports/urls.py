from django.urls import path

from catalog.exports import views

urlpatterns = [
    path("tools/<str:slug>/formats/", views.formats, name="formats"),
    path("tools/<str:slug>/formats/<slug:key>/", views.formats, name="format"),
]
