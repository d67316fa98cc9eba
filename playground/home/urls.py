from django.urls import path

from playground.home import views

urlpatterns = [
    path("", views.home, name="home"),
    path("demonstration/", views.run_demonstration, name="demonstration"),
]
