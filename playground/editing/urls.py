from django.urls import path

from playground.editing import views

urlpatterns = [
    path("tools/<str:slug>/edit/", views.edit, name="edit"),
]
