from django.urls import path

from playground.mcp import connect
from playground.mcp.view import mcp

urlpatterns = [
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
]
