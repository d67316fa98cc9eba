"""The admin site at /admin/: for staff, behind the site's own sign-in page."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme


class ToolshelfAdminSite(AdminSite):
    site_header = site_title = "Toolshelf administration"
    index_title = "Tables"

    def password_change(  # type: ignore[override]  # the stubs know the page alone
        self,
        request: HttpRequest,  # noqa: ARG002
        extra_context: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> HttpResponse:
        """Redirect to the page that limits guesses, records the change, and ends other sessions."""
        return redirect("accounts:password")

    password_change_done = password_change  # type: ignore[assignment]

    def login(
        self,
        request: HttpRequest,
        extra_context: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> HttpResponse:
        """Redirect to the sign-in page, which limits the number of failed attempts.

        Raises:
            PermissionDenied: the user is signed in, but is not staff.
        """
        if request.user.is_authenticated and not self.has_permission(request):
            raise PermissionDenied
        target = request.GET.get("next", "")
        if not url_has_allowed_host_and_scheme(
            target, {request.get_host()}, require_https=request.is_secure()
        ):
            target = reverse("admin:index")
        return redirect_to_login(target)
