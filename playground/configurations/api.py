"""The API's operations for saved configurations."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Status
from ninja.errors import HttpError

from accounts.api_auth import actor, token_or_session
from catalog.access.rights import may
from catalog.tools.headers import add_deprecation_headers
from catalog.tools.lookup import revision_of, tool_for
from catalog.tools.models import Tool
from playground.configurations import saved as saved_configurations
from playground.configurations import schemas
from playground.configurations.compiled_spec import compiled_spec_of
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import hide_secrets, save_configuration, share
from playground.configurations.secret_members import Configuration
from playground.configurations.sharing import share_with_groups
from playground.router import router
from toolshelf_core.api.problems import REFUSED, errors


@router.put(
    "/tools/{slug}/configurations/{name}/groups",
    response={200: schemas.SharedOut, **errors(404), **REFUSED},
    auth=token_or_session("run"),
    summary="Share a saved configuration with groups",
    tags=["configurations"],
)
def share_configuration_with_groups(
    request: HttpRequest, slug: str, name: str, body: schemas.ShareIn
) -> schemas.SharedOut:
    """Members of the groups can run the tool with it, without seeing its contents.

    Only you can change it.
    """
    tool = tool_for(request.user, "run", slug)
    person = actor(request)
    configuration = get_object_or_404(SavedConfiguration, owner=person, tool=tool, name=name)
    share_with_groups(configuration, body.groups, by=person)
    return schemas.SharedOut(groups=body.groups)


def describe(configuration: SavedConfiguration, tool: Tool) -> schemas.SavedConfigurationOut:
    contents = hide_secrets(configuration, compiled_spec_of(revision_of(tool)).configuration)
    secrets = [
        schemas.SecretOut(pointer=pointer, set_at=at) for pointer, at in contents.secrets.items()
    ]
    return schemas.SavedConfigurationOut.of(
        configuration, value=contents.value, secrets=secrets, is_readable=contents.is_readable
    )


@router.get(
    "/tools/{slug}/configurations",
    response=schemas.SavedConfigurationsOut,
    auth=token_or_session("run"),
    summary="List your saved configurations of a tool",
    tags=["configurations"],
)
def list_configurations(
    request: HttpRequest, response: HttpResponse, slug: str
) -> schemas.SavedConfigurationsOut:
    """Secrets are never returned. Configurations that others share are listed by name only."""
    tool = tool_for(request.user, "run", slug)
    person = actor(request)
    usable = SavedConfiguration.objects.filter(tool=tool).usable_by(person)
    add_deprecation_headers(response, tool)
    out = schemas.SavedConfigurationsOut(items=[], shared=[])
    for configuration in usable.order_by("name", "owner__username"):
        if configuration.owner == person:
            out.items.append(describe(configuration, tool))
            continue
        shared = schemas.SharedConfigurationOut(
            reference=configuration.reference_for(person),
            name=configuration.name,
            shared_by=configuration.owner.get_username(),
            updated_at=configuration.updated_at,
        )
        out.shared.append(shared)
    return out


@router.post(
    "/tools/{slug}/configurations",
    response={201: schemas.SavedConfigurationOut},
    auth=token_or_session("run"),
    summary="Save a configuration",
    tags=["configurations"],
)
def create_configuration(
    request: HttpRequest, response: HttpResponse, slug: str, body: schemas.SavedConfigurationIn
) -> Status[schemas.SavedConfigurationOut]:
    """It is stored encrypted, visible only to you, and replaces the one with the same name.

    A value that does not match the schema is refused; members may be missing, which a run then
    reports. Secrets that you leave out are retained; if the tool would send them to another URL
    than before, for instance because you changed `baseUrl`, the request is refused with their
    pointers. If the replaced one is shared, everyone uses the new contents from their next run on.
    """
    tool = tool_for(request.user, "run", slug)
    schema = compiled_spec_of(revision_of(tool)).configuration
    configuration = save_configuration(
        actor(request),
        tool,
        body.name,
        Configuration(body.configuration),
        schema,
        removed=body.remove_secrets,
        must_conform=True,
    )
    add_deprecation_headers(response, tool)
    return Status(201, describe(configuration, tool))


@router.patch(
    "/tools/{slug}/configurations/{name}",
    response={200: schemas.VisibilityOut, **errors(401, 403, 404, 422)},
    auth=token_or_session("run"),
    summary="Share a saved configuration, or stop sharing it",
    tags=["configurations"],
)
def share_configuration(
    request: HttpRequest, slug: str, name: str, body: schemas.VisibilityIn
) -> schemas.VisibilityOut:
    """Everyone who may run the tool can use a shared configuration.

    Its contents are shown only to its owner.

    Its secrets are removed from responses and logs of all runs. Save it again under the same name
    to replace a secret. Administrators can share any configuration, or stop sharing it; their token
    needs the scope `admin` for that.
    """
    tool = tool_for(request.user, "run", slug)
    person = actor(request)
    configurations = SavedConfiguration.objects.filter(tool=tool, name=name).select_related("owner")
    if not may(person, "administer"):
        configurations = configurations.usable_by(person)
    owner = body.owner or person.get_username()
    configuration = configurations.filter(owner__username=owner).first()
    if configuration is None:
        raise HttpError(
            404, "There is no such saved configuration for this tool, or you have no access to it."
        )
    share(configuration, body.visibility, by=person)
    return schemas.VisibilityOut(name=name, owner=owner, visibility=body.visibility)


@router.delete(
    "/tools/{slug}/configurations/{name}",
    response={204: None},
    auth=token_or_session("run"),
    summary="Delete a saved configuration",
    tags=["configurations"],
)
def delete_configuration(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    tool = tool_for(request.user, "run", slug)
    if not saved_configurations.delete_configuration(actor(request), tool, name):
        raise HttpError(404, "You have no saved configuration of this name for this tool.")
    return HttpResponse(status=204)
