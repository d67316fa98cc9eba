from django.urls import path

from playground.trying import views

urlpatterns = [
    path("tools/<str:slug>/try/", views.try_tool, name="try"),
    path("tools/<str:slug>/try/completions/", views.list_completions, name="completions"),
]
