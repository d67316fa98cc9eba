"""The pages on which administrators add people and put them into groups."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog import audit
from catalog.accounts.models import SignInLink, User
from catalog.accounts.roles import READER, READY_GROUPS, recording_groups, role_of, set_role
from catalog.accounts.secret_paths import path_of_link
from catalog.accounts.sign_in_links import new_link
from catalog.accounts.users import create_account
from catalog.errors import AccountError
from catalog.rights import require
from catalog.shortcuts import first_rows

PEOPLE_PER_PAGE: Final = 50
MAX_GROUP_CHARACTERS: Final = 150


@require_safe
@login_required
def people(request: HttpRequest) -> HttpResponse:
    """The people with their roles and groups, by name; `?q=` finds names that contain it."""
    require(request.user, "administer")
    typed = request.GET.get("q", "").replace("\x00", "").strip()[:150]
    found = User.objects.filter(username__icontains=typed) if typed else User.objects.all()
    after = request.GET.get("after", "").replace("\x00", "")
    following = found.filter(username__gt=after).order_by("username").prefetch_related("groups")
    shown, last = first_rows(following, PEOPLE_PER_PAGE)
    further = {"after": last.username} | ({"q": typed} if typed else {}) if last else None
    context = {
        "people": [(user, role_of(user), _teams_of(user)) for user in shown],
        "groups": Group.objects.exclude(name__in=READY_GROUPS).annotate(people=Count("user")).order_by("name"),
        "typed": typed,
        "next_url": f"?{urlencode(further)}" if further else None,
    }
    return render(request, "catalog/people.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@sensitive_variables("link", "context")
def add_person(request: HttpRequest) -> HttpResponse:
    """Create an account with a role; a POST shows the link that signs the person in, once."""
    require(request.user, "administer")
    name, role = request.POST.get("name", "").strip(), request.POST.get("role", _default_role())
    link, errors = "", []
    if request.method == "POST":
        try:
            link = request.build_absolute_uri(path_of_link(_add(name, role)))
        except AccountError as error:
            errors = [{"href": "#name", "message": str(error)}]
    context = {
        "name": name,
        "role": role,
        "roles": ROLES,
        "default_role": _default_role(),
        "errors": errors,
        "link": link,
        "link_minutes": SignInLink.MINUTES,
        "provider": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
    }
    response = render(request, "catalog/add_person.html", context, status=422 if errors else 200)
    add_never_cache_headers(response)
    return response


@transaction.atomic
@sensitive_variables()
def _add(name: str, role: str) -> str:
    """The secret of a sign-in link for a new account.

    Raises:
        AccountError: the name is in use or not valid, or there is no such role.
    """
    if role not in ROLES:
        raise AccountError(f"Choose one of the roles {', '.join(ROLES)}.")
    user = create_account(name)
    with recording_groups(user):
        set_role(user, role)
    return new_link(user)


def _default_role() -> str:
    """The role of people who are in none of the built-in groups."""
    return [name for name in READY_GROUPS if name == READER or name in settings.DEFAULT_GROUPS][-1]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def person(request: HttpRequest, pk: int) -> HttpResponse:
    """Set the role of a person, and the groups that they belong to."""
    require(request.user, "administer")
    user = get_object_or_404(User, pk=pk)
    groups = Group.objects.exclude(name__in=READY_GROUPS).order_by("name")
    error = ""
    if request.method == "POST":
        role = request.POST.get("role", "")
        error = _refusal(user, role, by_self=user.pk == request.user.pk)
        if not error:
            chosen = groups.filter(name__in=request.POST.getlist("groups"))
            with recording_groups(user):
                user.groups.remove(*groups.exclude(pk__in=chosen))
                user.groups.add(*chosen)
                set_role(user, role)
            messages.success(request, f"{user.username} saved.")
            return redirect("catalog:people")
    return _person_page(request, user, error=error)


@require_POST
@login_required
@sensitive_variables("link")
def new_person_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Show another link that signs a person in, once. Only for accounts that nobody has signed in to."""
    require(request.user, "administer")
    user = get_object_or_404(User, pk=pk)
    if not _awaits_first_sign_in(user):
        return _person_page(request, user, error=f"{user.username} has signed in already, or may not sign in.")
    link = request.build_absolute_uri(path_of_link(new_link(user)))
    response = _person_page(request, user, link=link)
    add_never_cache_headers(response)
    return response


def _awaits_first_sign_in(user: User) -> bool:
    """Whether an administrator may hand over a link: with one to a used account they could act in its name.

    An account with tokens is used by programs, and may own configurations that nobody else may use.
    """
    is_unused = user.last_login is None and not user.has_usable_password() and not user.tokens.exists()
    return is_unused and user.is_active and not user.is_superuser


@sensitive_variables("link", "context")
def _person_page(request: HttpRequest, user: User, *, error: str = "", link: str = "") -> HttpResponse:
    context = {
        "person": user,
        "role": role_of(user),
        "roles": ROLES,
        "groups": Group.objects.exclude(name__in=READY_GROUPS).order_by("name"),
        "own_groups": set(user.groups.values_list("pk", flat=True)),
        "error": error,
        "errors": [{"href": "#role", "message": error}] if error else [],
        "link": link,
        "link_minutes": SignInLink.MINUTES,
        "may_have_link": _awaits_first_sign_in(user),
    }
    return render(request, "catalog/person.html", context, status=422 if error else 200)


ROLES: Final = {
    "reader": "sees the tools that signed-in people see",
    "runner": "also runs tools and saves configurations",
    "publisher": "also uploads tools, and proposes revisions of the tools of others",
    "administrator": "does everything, for all tools and people",
}


@require_POST
@login_required
def change_groups(request: HttpRequest) -> HttpResponse:
    """Create the group `name`, or delete it with `delete`. The built-in groups stay."""
    require(request.user, "administer")
    name = " ".join(request.POST.get("name", "").split())
    if not name or len(name) > MAX_GROUP_CHARACTERS or not name.isprintable() or name in READY_GROUPS:
        messages.error(
            request, f"Enter a name of 1 to {MAX_GROUP_CHARACTERS} characters that is not the name of a built-in group."
        )
    elif "delete" in request.POST:
        deleted = _delete_group(name)
        messages.success(request, f"Group {name} deleted." if deleted else f"There is no group {name}.")
    else:
        created = _create_group(name)
        messages.success(request, f"Group {name} created." if created else f"The group {name} already exists.")
    return redirect("catalog:people")


@transaction.atomic
def _delete_group(name: str) -> bool:
    """Delete the group; False if there is none."""
    group = Group.objects.filter(name=name).first()
    if group is None:
        return False
    people = list(User.objects.filter(groups=group).order_by("username").values_list("username", flat=True))
    group.delete()
    audit.record("group.delete", "group", name, before={"people": people})
    return True


@transaction.atomic
def _create_group(name: str) -> bool:
    """Create the group; False if there is one already."""
    _, created = Group.objects.get_or_create(name=name)
    if created:
        audit.record("group.create", "group", name)
    return created


def _teams_of(user: User) -> list[str]:
    return sorted(group.name for group in user.groups.all() if group.name not in READY_GROUPS)


def _refusal(user: User, role: str, *, by_self: bool) -> str:
    if role not in ROLES:
        return f"Choose one of the roles {', '.join(ROLES)}."
    if role != "administrator" and by_self:
        return "You cannot remove your own administrator role; another administrator can."
    if role != "administrator" and user.is_superuser:
        return "A superuser is always an administrator. Change that in the admin, or with a command."
    return ""
