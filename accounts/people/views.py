"""The pages on which administrators add people and put them into groups."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.administrators import require_administrator
from accounts.api_auth import actor
from accounts.models import SignInLink, User
from accounts.oidc.accounts import provider_name
from accounts.people.forms import (
    MAX_GROUP_CHARACTERS,
    ROLES,
    GroupForm,
    NewPersonForm,
    PersonForm,
    own_groups,
)
from accounts.roles import READER, READY_GROUPS, RUNNER, load_memberships, role_of
from accounts.sign_in_links import invite, may_be_invited
from toolshelf_core.paging import read_page
from toolshelf_core.secret_paths import link_path
from toolshelf_core.site_url import is_on_this_machine

PEOPLE_PER_PAGE: Final = 50


@require_safe
@login_required
def people(request: HttpRequest) -> HttpResponse:
    """The people with their roles and groups, by name; `?q=` finds names that contain it."""
    require_administrator(request.user)
    return _people_page(request, GroupForm(auto_id=False))


def _people_page(request: HttpRequest, form: GroupForm) -> HttpResponse:
    search = request.GET.get("q", "").strip()[:150]
    matches = User.objects.prefetch_related("groups")
    if search:
        matches = matches.filter(username__icontains=search)
    page, following = read_page(matches, request.GET.get("after"), PEOPLE_PER_PAGE, "username")
    load_memberships(page)
    query = {"after": following}
    if search:
        query["q"] = search
    context = {
        "people": [(user, role_of(user), _list_teams(user)) for user in page],
        "groups": own_groups().annotate(people=Count("user")),
        "form": form,
        "errors": form.error_links,
        "typed": search,
        "next_url": f"{reverse('accounts:people')}?{urlencode(query)}" if following else None,
    }
    return render(request, "accounts/people/people.html", context, status=form.page_status)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@sensitive_variables("link", "secret", "context")
def add_person(request: HttpRequest) -> HttpResponse:
    """Create an account with a role; a POST shows the link that signs the person in, once."""
    require_administrator(request.user)
    data = request.POST if request.method == "POST" else None
    form = NewPersonForm(data, initial={"role": RUNNER}, auto_id=False)
    link = ""
    if form.is_bound and (secret := form.save()):
        link = request.build_absolute_uri(link_path(secret))
    context = {
        "form": form,
        "roles": ROLES,
        "default_role": _get_default_role(),
        "errors": form.error_links,
        "link": link,
        "link_hours": SignInLink.INVITATION_HOURS,
        "link_is_local": is_on_this_machine(request),
        "provider": provider_name(),
    }
    template = "accounts/people/add_person.html"
    response = render(request, template, context, status=form.page_status)
    add_never_cache_headers(response)
    return response


def _get_default_role() -> str:
    """The role of people who are in none of the built-in groups."""
    return [name for name in READY_GROUPS if name == READER or name in settings.DEFAULT_GROUPS][-1]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def person(request: HttpRequest, pk: int) -> HttpResponse:
    """Set the role of a person, and the groups that they belong to."""
    require_administrator(request.user)
    user = get_object_or_404(User, pk=pk)
    data = request.POST if request.method == "POST" else None
    form = PersonForm(user, actor(request), data)
    if form.is_bound and form.save():
        messages.success(request, f"{user.username} saved.")
        return redirect("accounts:people")
    return _person_page(request, form)


@require_POST
@login_required
@sensitive_variables("link")
def new_person_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Show another link that signs a person in, once. Only for accounts that nobody uses yet."""
    require_administrator(request.user)
    user = get_object_or_404(User, pk=pk)
    form = PersonForm(user, actor(request))
    if not may_be_invited(user):
        refusal = (
            f"{user.username} may not sign in, or the account is in use: it has a password, "
            "a provider, tokens or data of its own. "
            f"On the server, `manage.py sign_in_link {user.username}` prints a link."
        )
        return _person_page(request, form, refusal=refusal)
    link = request.build_absolute_uri(link_path(invite(user)))
    response = _person_page(request, form, link=link)
    add_never_cache_headers(response)
    return response


@sensitive_variables("link", "context")
def _person_page(
    request: HttpRequest, form: PersonForm, *, refusal: str = "", link: str = ""
) -> HttpResponse:
    errors = [{"href": "", "message": refusal}] if refusal else form.error_links
    context = {
        "person": form.user,
        "form": form,
        "roles": ROLES,
        "groups": own_groups(),
        "errors": errors,
        "link": link,
        "link_hours": SignInLink.INVITATION_HOURS,
        "link_is_local": is_on_this_machine(request),
        "may_have_link": may_be_invited(form.user),
    }
    status = form.status if errors else 200
    return render(request, "accounts/people/person.html", context, status=status)


@require_POST
@login_required
def change_groups(request: HttpRequest) -> HttpResponse:
    """Create the group `name`, or delete it with `delete`. The built-in groups stay."""
    require_administrator(request.user)
    form = GroupForm(request.POST, auto_id=False)
    if "delete" in request.POST:
        if name := form.delete():
            messages.success(request, f"Group {name} deleted.")
        else:
            name = request.POST.get("name", "")[:MAX_GROUP_CHARACTERS]
            messages.error(request, f"There is no group {name} that can be deleted.")
    elif name := form.create():
        messages.success(request, f"Group {name} created.")
    else:
        return _people_page(request, form)
    return redirect("accounts:people")


def _list_teams(user: User) -> list[str]:
    return sorted(group.name for group in user.groups.all() if group.name not in READY_GROUPS)
