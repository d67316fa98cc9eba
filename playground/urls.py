from django.urls import path

from playground.views import examples, runs, try_page

app_name = "playground"
urlpatterns = [
    path("tools/<str:slug>/try/", try_page.try_tool, name="try"),
    path("tools/<str:slug>/examples/", examples.examples, name="examples"),
    path("runs/", runs.run_list, name="runs"),
    path("runs/<str:first_id>..<str:second_id>/", runs.run_comparison, name="run_comparison"),
    path("runs/<str:run_id>/", runs.run_detail, name="run"),
    path("runs/<str:run_id>/cancel/", runs.run_cancel, name="run_cancel"),
    path("runs/<str:run_id>/again/", runs.run_again, name="run_again"),
    path("runs/<str:run_id>/run.json", runs.run_download, name="run_download"),
    path("runs/<str:run_id>/response.json", runs.response_download, name="response_download"),
    path("runs/<str:run_id>/example/", runs.save_example, name="save_example"),
    path("factories/", runs.factories, name="factories"),
]
