"""Who may see and change tools: the settings of toolkits, and the audiences of restricted tools."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import connection, models
from django.db.models import Q

from accounts.models import Person, User
from accounts.roles import is_administrator, membership_of, token_of
from catalog.index.visibility import ALL_TOOLS, Visibility
from toolspec.catalog_names import MAX_GROUP_KEY_CHARS, group_key

EVERYONE: Final = "everyone"
SIGNED_IN: Final = "signed-in"
GROUPS: Final = "groups"
VISIBILITIES: Final = {
    EVERYONE: "Everyone",
    SIGNED_IN: "Signed-in people",
    GROUPS: "Groups, besides the owner and the maintainers",
}


def is_visible(visibility: Visibility, tool: str = "") -> Q:
    """The condition that people with this visibility see a tool.

    Args:
        visibility: of a person (`Audience.objects.visibility_for`).
        tool: the path from the queried model to the tool ("tool__"); "" in queries of tools. A row
            without a tool counts as seen, except by a token that is limited to toolkits.
    """
    condition = Q()
    if visibility.hidden:
        condition &= ~Q(**{f"{tool}audience__in": visibility.hidden})
    if visibility.only is not None:
        condition &= Q(**{f"{tool}toolkit_key__in": visibility.only})
    return condition


class ToolkitQuerySet(models.QuerySet["Toolkit"]):
    def with_owner(self) -> ToolkitQuerySet:
        """Toolkits that have an owner or maintainers."""
        has_owner = Q(owner__isnull=False)
        has_maintainers = Q(maintainers__isnull=False) | Q(maintainer_groups__isnull=False)
        return self.filter(has_owner | has_maintainers).distinct()

    def maintained_by(self, person: User) -> ToolkitQuerySet:
        """Toolkits that `person` owns or maintains."""
        groups = membership_of(person).groups
        is_maintainer = Q(maintainers=person) | Q(maintainer_groups__in=groups)
        return self.filter(Q(owner=person) | is_maintainer).distinct()


class Toolkit(models.Model):
    """The settings of a toolkit, which apply to all of its tools.

    A toolkit without settings has no row.
    """

    # as toolkits are compared: `group_key`
    key = models.CharField(max_length=MAX_GROUP_KEY_CHARS, unique=True)
    name = models.CharField(max_length=100)  # as it was written when it was set up
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    maintainers = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="+")
    maintainer_groups = models.ManyToManyField(Group, blank=True, related_name="+")
    visibility = models.CharField(
        max_length=10, choices=list(VISIBILITIES.items()), default=EVERYONE
    )
    # that see it, if `visibility` is "groups"
    groups = models.ManyToManyField(Group, blank=True, related_name="+")

    objects = ToolkitQuerySet.as_manager()

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        return self.name

    @property
    def toolkit_key(self) -> str:
        return self.key


class AudienceQuerySet(models.QuerySet["Audience"]):
    def visibility_for(self, person: Person | None) -> Visibility:
        """The visibility of `person`; None, the administrator of the machine, sees everything.

        One query of a small table if no tool is restricted.
        """
        if person is None:
            return ALL_TOOLS
        only = unrestricted_toolkits(person)
        rows = _read_rows()
        hidden = frozenset(rows) - self._find_visible(person, rows) if rows else frozenset()
        return Visibility(hidden, only)

    def _find_visible(self, person: Person, rows: dict[int, tuple[bool, str]]) -> frozenset[int]:
        """The keys of the audiences that the person belongs to; `rows` as of `_read_rows`."""
        if not isinstance(person, User) or not person.is_active:
            return frozenset()
        keys = set(rows)
        if not is_administrator(person):
            belongs = Q(people=person) | Q(groups__in=membership_of(person).groups)
            keys = {key for key, (for_signed_in, _) in rows.items() if for_signed_in}
            keys.update(self.filter(belongs).values_list("pk", flat=True))
        toolkits = _toolkits_of_token(person)
        return frozenset(key for key in keys if toolkits is None or rows[key][1] in toolkits)


class Audience(models.Model):
    """The people who may see some restricted tools of one toolkit.

    Tools with the same people share one; tools that everyone may see have none. It is derived from
    the settings of the tool and of its toolkit (`catalog/tools/audiences.py`), so that lists and
    the index need one column and one token.
    """

    toolkit_key = models.CharField(max_length=MAX_GROUP_KEY_CHARS, blank=True)
    signed_in = models.BooleanField(default=False)  # all signed-in people
    people = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    groups = models.ManyToManyField(Group, related_name="+")
    digest = models.CharField(max_length=64, unique=True)  # of all of these

    objects = AudienceQuerySet.as_manager()

    def __str__(self) -> str:
        return f"audience {self.pk}"


def unrestricted_toolkits(person: Person | None) -> frozenset[str] | None:
    """The keys of the toolkits whose unrestricted tools `person` sees; None for all.

    Not all, if visitors see nothing: a visitor sees none, and a token that is limited to toolkits
    sees these.
    """
    if person is None or settings.ANONYMOUS_BROWSING:
        return None
    return _toolkits_of_token(person) if person.is_authenticated else frozenset()


def _toolkits_of_token(person: Person) -> frozenset[str] | None:
    token = token_of(person)
    return frozenset(map(group_key, token.toolkits)) if token and token.toolkits else None


def _read_rows() -> dict[int, tuple[bool, str]]:
    """All audiences: whether signed-in people belong to it, and its toolkit, by primary key.

    Written by hand, because every page asks: it takes a quarter of the time of a queryset.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, signed_in, toolkit_key FROM catalog_audience")
        return {key: (bool(signed_in), toolkit) for key, signed_in, toolkit in cursor.fetchall()}
