from django.urls import path

from playground import example_views, trial_views, views

app_name = "playground"
urlpatterns = [
    path("tools/<str:slug>/try/", trial_views.try_tool, name="try"),
    path("tools/<str:slug>/examples/", example_views.examples, name="examples"),
    path("runs/", views.run_list, name="runs"),
    path("runs/<str:first_id>..<str:second_id>/", views.run_comparison, name="run_comparison"),
    path("runs/<str:run_id>/", views.run_detail, name="run"),
    path("runs/<str:run_id>/cancel/", views.run_cancel, name="run_cancel"),
    path("runs/<str:run_id>/again/", views.run_again, name="run_again"),
    path("runs/<str:run_id>/run.json", views.run_download, name="run_download"),
    path("runs/<str:run_id>/response.json", views.response_download, name="response_download"),
    path("runs/<str:run_id>/example/", views.keep_example, name="keep_example"),
    path("factories/", views.factories, name="factories"),
]
