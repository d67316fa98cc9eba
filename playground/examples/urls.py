from django.urls import path

from playground.examples import views

urlpatterns = [
    path("tools/<str:slug>/tests/", views.examples, name="tests"),
    path("runs/<str:run_id>/example/", views.save_example, name="save_example"),
]
