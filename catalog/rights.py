"""Who may do what: pages, the API, MCP and commands ask `may` or `require`, and `visible_to` of the querysets.

    may(person, "organise", tool)       an answer: true or false, with the reason and who may
    require(person, "organise", tool)   raises `NotAllowed` with that reason
    Tool.objects.visible_to(person)     the tools that the person may see

A person is a user, an anonymous visitor, or None: the administrator of the machine, who uses
commands. A program acts as the user of its token, which can only take rights away (its scopes and
toolkits).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from catalog.accounts.models import ADMINISTER, PUBLISH_TOOLS, RUN_TOOLS, Person, User
from catalog.accounts.roles import is_administrator, membership_of, token_of
from catalog.errors import NotAllowed
from catalog.models import Audience, HeldChange, Tool, Toolkit
from catalog.models.access import unrestricted_toolkits
from catalog.search.document import group_key, toolkit_of

Action = Literal[
    "see", "run", "upload", "propose", "revise", "deprecate", "archive", "restore", "organise", "waive", "approve",
    "hand over", "administer",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a person may do something; `reason` says why not, and who may."""

    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason


YES: Final = Answer()
Subject = Tool | Toolkit | HeldChange | str | None

_SCOPES: Final[Mapping[Action, str]] = {
    "run": "run",
    "upload": "publish",
    "propose": "publish",
    "revise": "publish",
    "deprecate": "publish",
    "archive": "publish",
    "restore": "publish",
    "organise": "publish",
    "waive": "publish",
    "approve": "publish",
    "hand over": "publish",
    "administer": "admin",
}
_DOING: Final[Mapping[Action, str]] = {
    "revise": "publish revisions of",
    "hand over": "change the owner of",
    "approve": "approve or reject changes of",
    "waive": "waive findings of",
}
_GROUPS: Final[Mapping[str, str]] = {
    RUN_TOOLS: "Only people in the groups runner, publisher and administrator can run tools.",
    PUBLISH_TOOLS: "Only people in the groups publisher and administrator can upload tools.",
    ADMINISTER: "Only administrators can do this.",
}


def may(person: Person | None, action: Action, subject: Subject = None) -> Answer:
    """Whether `person` may do `action`, to `subject` if it needs one.

    Args:
        person: None is the administrator of the machine, who may do everything.
        action: "upload" is for new tools; "propose" is to revise a tool, or to hold a revision for
            those who may.
        subject: a tool (or the id of one to be uploaded), a toolkit, or a held change.
    """
    if person is None:
        return YES
    refusal = _limits_of_token(person, action, subject)
    return _right_of(person, action, subject) if refusal is None else refusal


def require(person: Person | None, action: Action, subject: Subject = None) -> None:
    """Check that `person` may do `action`.

    Raises:
        NotAllowed: they may not.
    """
    answer = may(person, action, subject)
    if not answer:
        raise NotAllowed(answer.reason)


def may_add_to_toolkit(person: Person | None, key: str) -> Answer:
    """Whether `person` may put tools that they maintain into the toolkit with this key ("": into none)."""
    if person is None:
        return YES
    refusal = limit_of_toolkits(person, key)
    if refusal is not None:
        return refusal
    if is_administrator(person):
        return YES
    return (
        _right_to_toolkit(person, key, "organise")
        if isinstance(person, User)
        else Answer("Sign in to do this.")
    )


def _limits_of_token(person: Person, action: Action, subject: Subject) -> Answer | None:
    """Why the token with which a program acts does not allow this; None if it does."""
    token = token_of(person)
    if token is None:
        return None
    scope = _SCOPES.get(action)
    if scope and scope not in token.scopes:
        return Answer(f"This token lacks the scope '{scope}'; it has: {', '.join(token.scopes)}.")
    if not scope or (action == "upload" and subject is None):
        return None
    return limit_of_toolkits(person, _toolkit_key_of(subject))


def limit_of_toolkits(person: Person, key: str | None) -> Answer | None:
    """Why the token with which a program acts does not allow changes in this toolkit; None if it does."""
    token = token_of(person)
    if token is None or not token.toolkits or key in {group_key(name) for name in token.toolkits}:
        return None
    return Answer(f"This token is limited to the toolkits {', '.join(token.toolkits)}.")


def _toolkit_key_of(subject: Subject) -> str | None:
    if isinstance(subject, Tool):
        return subject.toolkit_key
    if isinstance(subject, Toolkit):
        return subject.key
    if isinstance(subject, HeldChange):
        return group_key(toolkit_of(subject.tool_id))
    return group_key(toolkit_of(subject)) if isinstance(subject, str) else None


def _right_of(person: Person, action: Action, subject: Subject) -> Answer:
    if isinstance(subject, Tool) and not _sees(person, subject):
        return Answer(f"There is no tool {subject.tool_id!r}, or you do not have access to it.")
    if action == "see" or is_administrator(person):
        return YES
    if not isinstance(person, User):
        return Answer("Sign in to do this.")
    if isinstance(subject, Tool):
        return _right_to_tool(person, action, subject)
    if isinstance(subject, Toolkit):
        return (
            YES
            if _maintains_toolkit(person, subject)
            else Answer(_only_maintainers(subject.name, action, subject.owner))
        )
    if isinstance(subject, HeldChange):
        return _right_to_decide(person, subject)
    if action == "upload":
        return _right_to_upload(person, subject if isinstance(subject, str) else "")
    return _by_group(person, RUN_TOOLS if action == "run" else ADMINISTER)


def _sees(person: Person, tool: Tool) -> bool:
    """Without a query for a tool that is not restricted."""
    if tool.audience_id is None and unrestricted_toolkits(person) is None:
        return True
    return Audience.objects.visibility_for(person).sees(tool.audience_id, tool.toolkit_key)


def _right_to_tool(person: User, action: Action, tool: Tool) -> Answer:
    if action == "run" and RUN_TOOLS in membership_of(person).abilities:
        return YES
    if action == "hand over":
        may_hand_over = tool.owner_id == person.pk or (
            tool.owner_id is None and _maintains(person, tool)
        )
        return YES if may_hand_over else Answer(_only_owner(tool))
    publishes = PUBLISH_TOOLS in membership_of(person).abilities
    if action == "propose" and publishes:
        return YES
    if _maintains(person, tool):
        return YES
    if action == "run":
        return Answer(_GROUPS[RUN_TOOLS])
    if action == "propose":
        return Answer(f"{_GROUPS[PUBLISH_TOOLS][:-1]}, or propose changes.")
    if tool.owner_id is None and not publishes:
        return Answer(f"{_GROUPS[PUBLISH_TOOLS][:-1]}, or change tools that have no owner.")
    return Answer(_only_maintainers(tool.tool_id, action, tool.owner))


def _maintains(person: User, tool: Tool) -> bool:
    """Asked once for each object: a page asks for several actions, and one query takes 2 ms of CPU."""
    if tool.owner_id == person.pk:
        return True
    answers: dict[int, bool] = tool.__dict__.setdefault("_maintained_by", {})
    if person.pk not in answers:
        answers[person.pk] = Tool.objects.filter(pk=tool.pk).maintained_by(person).exists()
    return answers[person.pk]


def _maintains_toolkit(person: User, toolkit: Toolkit) -> bool:
    return (
        toolkit.pk is not None
        and Toolkit.objects.filter(pk=toolkit.pk).maintained_by(person).exists()
    )


def _right_to_decide(person: User, change: HeldChange) -> Answer:
    tool = Tool.objects.filter(tool_id=change.tool_id).select_related("owner").first()
    if tool is not None:
        # a change of an unowned tool of a source: its source's owner decides, not every publisher
        decides = _maintains(person, tool) and (
            tool.owner_id is not None or change.source is None or change.source.owner == person
        )
        owner = tool.owner or (change.source.owner if change.source else None)
    else:
        key = group_key(toolkit_of(change.tool_id))
        decides = Toolkit.objects.filter(key=key).maintained_by(person).exists()
        owner = change.source.owner if change.source else None
        if owner == person:
            decides = decides or bool(_right_to_upload(person, change.tool_id))
    if decides:
        return YES
    return Answer(_only_maintainers(change.tool_id, "approve", owner))


def _right_to_upload(person: User, tool_id: str) -> Answer:
    """A new tool of a toolkit that belongs to others needs their approval, as a revision does."""
    general = _by_group(person, PUBLISH_TOOLS)
    key = group_key(toolkit_of(tool_id)) if tool_id else ""
    return _right_to_toolkit(person, key, "revise") if general else general


def _right_to_toolkit(person: User, key: str, action: Action) -> Answer:
    owned = (
        Toolkit.objects.filter(key=key).with_owner().select_related("owner").first()
        if key
        else None
    )
    if owned is None or _maintains_toolkit(person, owned):
        return YES
    return Answer(_only_maintainers(owned.name, action, owned.owner))


def _by_group(person: User, ability: str) -> Answer:
    return YES if ability in membership_of(person).abilities else Answer(_GROUPS[ability])


def _only_owner(tool: Tool) -> str:
    owner = f"the owner, {tool.owner.username}," if tool.owner else "the owner"
    return f"Only {owner} and administrators can change the owner of {tool.tool_id}."


def _only_maintainers(name: str, action: Action, owner: User | None) -> str:
    who = f"the owner ({owner.username})" if owner else "the owner"
    return (
        f"Only {who}, the maintainers and administrators can {_DOING.get(action, action)} {name}."
    )
