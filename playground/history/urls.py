from django.urls import path

from playground.history import views

urlpatterns = [
    path("tools/<str:slug>/runs/", views.tool_runs, name="tool_runs"),
    path("runs/", views.run_list, name="runs"),
    path("runs/<str:first_id>..<str:second_id>/", views.run_comparison, name="run_comparison"),
    path("runs/<str:run_id>/", views.run_detail, name="run"),
    path("runs/<str:run_id>/cancel/", views.run_cancel, name="run_cancel"),
    path("runs/<str:run_id>/share/", views.run_share, name="run_share"),
    path("runs/<str:run_id>/again/", views.run_again, name="run_again"),
    path("runs/<str:run_id>/run.json", views.run_download, name="run_download"),
    path("runs/<str:run_id>/response.json", views.response_download, name="response_download"),
    path("runs/<str:run_id>/files/<int:number>", views.run_file, name="run_file"),
]
