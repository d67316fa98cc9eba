from django.urls import path

from playground.factories import views

urlpatterns = [
    path("factories/", views.factories, name="factories"),
    path("factories/new/", views.new_factory, name="new_factory"),
    path("factories/<path:name>/spec/", views.factory_spec, name="factory_spec"),
]
