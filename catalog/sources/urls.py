from django.urls import path

from catalog.sources import views

urlpatterns = [
    path("sources/", views.source_list, name="sources"),
    path("sources/<str:name>/", views.source_page, name="source"),
    path("sources/<str:name>/settings/", views.change_settings, name="source_settings"),
    path("sources/<str:name>/sync/", views.sync_now, name="source_sync"),
    path("sources/<str:name>/remove/", views.remove, name="source_remove"),
]
