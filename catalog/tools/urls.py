from django.urls import path

from catalog.tools import views

urlpatterns = [
    path("tools/<str:slug>/", views.tool_page, name="tool"),
    path("tools/<str:slug>/star/", views.star_tool, name="star"),
]
