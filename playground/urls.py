from django.urls import path

from playground.mcp import connect
from playground.mcp.view import mcp
from playground.views import demonstration, edit, examples, factories, real_calls, runs, try_page

app_name = "playground"
urlpatterns = [
    path("demonstration/", demonstration.run_demonstration, name="demonstration"),
    path("tools/<str:slug>/try/", try_page.try_tool, name="try"),
    path("tools/<str:slug>/try/completions/", try_page.completions, name="completions"),
    path("tools/<str:slug>/edit/", edit.edit, name="edit"),
    path("tools/<str:slug>/tests/", examples.examples, name="tests"),
    path("tools/<str:slug>/runs/", runs.tool_runs, name="tool_runs"),
    path("review/<int:pk>/calls/", real_calls.change_calls, name="change_calls"),
    path(
        "tools/<str:slug>/changes/<int:number>/calls/",
        real_calls.revision_calls,
        name="revision_calls",
    ),
    path("runs/", runs.run_list, name="runs"),
    path("runs/<str:first_id>..<str:second_id>/", runs.run_comparison, name="run_comparison"),
    path("runs/<str:run_id>/", runs.run_detail, name="run"),
    path("runs/<str:run_id>/cancel/", runs.run_cancel, name="run_cancel"),
    path("runs/<str:run_id>/share/", runs.run_share, name="run_share"),
    path("runs/<str:run_id>/again/", runs.run_again, name="run_again"),
    path("runs/<str:run_id>/run.json", runs.run_download, name="run_download"),
    path("runs/<str:run_id>/response.json", runs.response_download, name="response_download"),
    path("runs/<str:run_id>/files/<int:number>", runs.run_file, name="run_file"),
    path("runs/<str:run_id>/example/", runs.save_example, name="save_example"),
    path("connect/", connect.connect, name="connect"),
    path("connect/tools/<str:slug>/", connect.connect_tool, name="connect_tool"),
    path(
        "connect/tools/<str:slug>/configuration/",
        connect.choose_tool_configuration,
        name="choose_tool_configuration",
    ),
    path("connect/toolkits/<str:toolkit>/", connect.connect_toolkit, name="connect_toolkit"),
    path("mcp", mcp, name="mcp"),
    path("mcp/", mcp),
    path("mcp/<str:toolkit>", mcp, name="mcp_toolkit"),
    path("factories/", factories.factories, name="factories"),
    path("factories/new/", factories.new_factory, name="new_factory"),
    path("factories/<path:name>/spec/", factories.factory_spec, name="factory_spec"),
]
