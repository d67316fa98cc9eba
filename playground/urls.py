from django.urls import include, path

app_name = "playground"
urlpatterns = [
    path("", include("playground.home.urls")),
    path("", include("playground.trying.urls")),
    path("", include("playground.editing.urls")),
    path("", include("playground.examples.urls")),
    path("", include("playground.history.urls")),
    path("", include("playground.real_calls.urls")),
    path("", include("playground.mcp.urls")),
    path("", include("playground.factories.urls")),
]
