from django.urls import path

from catalog.search import views

urlpatterns = [
    path("tools/", views.tool_list, name="tool_list"),
    path("facets/", views.facet_list, name="facets"),
    path("suggestions/", views.query_suggestions, name="suggestions"),
    path("palette/", views.palette_entries, name="palette"),
    path("tools/<str:slug>..<str:other>/", views.compare_tools, name="compare_tools"),
    path("tools/<str:slug>/similar/", views.similar_page, name="similar"),
]
