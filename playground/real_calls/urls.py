from django.urls import path

from playground.real_calls import views

urlpatterns = [
    path("review/<int:pk>/calls/", views.change_calls, name="change_calls"),
    path(
        "tools/<str:slug>/changes/<int:number>/calls/",
        views.revision_calls,
        name="revision_calls",
    ),
]
