"""Every URL of the site."""

from django.contrib import admin
from django.urls import include, path

from catalog.exports import sdk_wheel
from config import api_docs, former_urls, views
from config.api import api
from config.help import views as help_views
from config.metrics import metrics

urlpatterns = [
    # The API is first, since patterns are tried in this order and its requests are the most
    # frequent.
    path("api/v1/docs", api_docs.api_docs, name="api_docs"),
    path(
        "api/v1/openapi.json", api_docs.openapi_document
    ),  # before the API's own, which builds it each time
    path("api/v1/", api.urls),
    path("", include("catalog.urls")),
    path("", include("playground.urls")),
    path("", include("accounts.urls")),
    path("", include("accounts.allauth_urls")),
    path("account/", views.account, name="account"),
    path(
        "account/configurations/<int:pk>/remove/",
        views.remove_configuration,
        name="remove_configuration",
    ),
    path("admin/", admin.site.urls),
    path(f"{sdk_wheel.PATH}<str:name>", views.package, name="package"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("favicon.ico", views.favicon),
    path("robots.txt", views.robots),
    path("", include(former_urls)),
    path("help/", help_views.help_index, name="help"),
    path("help/<slug:slug>/", help_views.help_document, name="help_page"),
]
handler400 = "config.error_pages.bad_request"
handler403 = "config.error_pages.permission_denied"
handler404 = "config.error_pages.page_not_found"
handler500 = "config.error_pages.server_error"
