from django.urls import include, path

app_name = "catalog"
urlpatterns = [
    # a comparison before a tool, whose pattern matches it, too
    path("", include("catalog.search.urls")),
    path("", include("catalog.uploads.urls")),
    path("", include("catalog.sources.urls")),
    path("", include("catalog.proposals.urls")),
    path("", include("catalog.webhooks.urls")),
    path("", include("catalog.lint.urls")),
    path("", include("catalog.organise.urls")),
    path("", include("catalog.tools.urls")),
    path("", include("catalog.exports.urls")),
    path("", include("catalog.revisions.urls")),
]
