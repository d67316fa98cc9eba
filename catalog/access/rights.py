"""Who may do what: pages, the API, MCP and commands ask these functions.

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
from typing import Final, Literal, Protocol

from accounts.models import ADMINISTER, PUBLISH_TOOLS, RUN_TOOLS, Person, User
from accounts.roles import is_administrator, membership_of, token_of
from catalog.access.models import Audience, Toolkit, unrestricted_toolkits
from toolshelf_core.errors import NotAllowed
from toolspec.catalog_names import group_key, toolkit_of

Action = Literal[
    "see",
    "run",
    "upload",
    "propose",
    "revise",
    "deprecate",
    "archive",
    "restore",
    "organise",
    "waive",
    "approve",
    "hand over",
    "administer",
]


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a person may do something; `reason` says why not, and who may."""

    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason


YES: Final = Answer()
SIGN_IN: Final = Answer("Sign in to do this.")


class Governed(Protocol):
    """A tool or a proposal, which knows itself who may do what to it."""

    @property
    def toolkit_key(self) -> str: ...

    def hidden_from(self, person: Person) -> str:
        """Why `person` does not see it; "" if they do."""

    def answer(self, person: User, action: Action) -> Answer:
        """Whether somebody who sees it, and is not an administrator, may do `action` to it."""


Subject = Governed | Toolkit | str | None

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
GROUPS_THAT_MAY: Final[Mapping[str, str]] = {
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
    refusal = _check_token(person, action, subject)
    return _check_right(person, action, subject) if refusal is None else refusal


def require(person: Person | None, action: Action, subject: Subject = None) -> None:
    """Check that `person` may do `action`.

    Raises:
        NotAllowed: they may not.
    """
    answer = may(person, action, subject)
    if not answer:
        raise NotAllowed(answer.reason)


def may_add_to_toolkit(person: Person | None, key: str) -> Answer:
    """Whether `person` may put tools that they maintain into the toolkit with this key.

    `key`: "" for tools without a toolkit.
    """
    if person is None:
        return YES
    refusal = limit_of_toolkits(person, key)
    if refusal is not None:
        return refusal
    if is_administrator(person):
        return YES
    if not isinstance(person, User):
        return SIGN_IN
    return _check_toolkit(person, key, "organise")


def _check_token(person: Person, action: Action, subject: Subject) -> Answer | None:
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
    """Why the token of a program does not allow changes in this toolkit; None if it does."""
    token = token_of(person)
    if token is None or not token.toolkits or key in {group_key(name) for name in token.toolkits}:
        return None
    return Answer(f"This token is limited to the toolkits {', '.join(token.toolkits)}.")


def _toolkit_key_of(subject: Subject) -> str | None:
    if subject is None:
        return None
    if isinstance(subject, str):
        return group_key(toolkit_of(subject))
    return subject.toolkit_key


def _check_right(person: Person, action: Action, subject: Subject) -> Answer:
    governed = None if isinstance(subject, (str, Toolkit)) else subject
    if governed is not None:
        problem = governed.hidden_from(person)
        if problem:
            return Answer(problem)
    if action == "see" or is_administrator(person):
        return YES
    if not isinstance(person, User):
        return SIGN_IN
    if governed is not None:
        return governed.answer(person, action)
    if isinstance(subject, Toolkit):
        if _is_maintainer(person, subject):
            return YES
        return Answer(only_maintainers(subject.name, action, subject.owner))
    if action == "upload":
        return right_to_upload(person, subject if isinstance(subject, str) else "")
    return _check_ability(person, RUN_TOOLS if action == "run" else ADMINISTER)


def sees(person: Person, audience: int | None, toolkit_key: str) -> bool:
    """Whether `person` sees a tool of this audience and toolkit.

    Without a query if it is not restricted.
    """
    if audience is None and unrestricted_toolkits(person) is None:
        return True
    return Audience.objects.visibility_for(person).sees(audience, toolkit_key)


def _is_maintainer(person: User, toolkit: Toolkit) -> bool:
    if toolkit.pk is None:
        return False
    return Toolkit.objects.filter(pk=toolkit.pk).maintained_by(person).exists()


def right_to_upload(person: User, tool_id: str) -> Answer:
    """A new tool of a toolkit that belongs to others needs their approval, as a revision does."""
    general = _check_ability(person, PUBLISH_TOOLS)
    key = group_key(toolkit_of(tool_id)) if tool_id else ""
    return _check_toolkit(person, key, "revise") if general else general


def _check_toolkit(person: User, key: str, action: Action) -> Answer:
    """Whether the toolkit with this key belongs to nobody, or to `person`; "" is no toolkit."""
    if not key:
        return YES
    toolkits = Toolkit.objects.filter(key=key).with_owner().select_related("owner")
    toolkit = toolkits.first()
    if toolkit is None or _is_maintainer(person, toolkit):
        return YES
    return Answer(only_maintainers(toolkit.name, action, toolkit.owner))


def _check_ability(person: User, ability: str) -> Answer:
    return YES if ability in membership_of(person).abilities else Answer(GROUPS_THAT_MAY[ability])


def only_maintainers(name: str, action: Action, owner: User | None) -> str:
    """The reason for people who do not maintain a tool or a toolkit."""
    who = f"the owner ({owner.username})" if owner else "the owner"
    doing = _DOING.get(action, action)
    return f"Only {who}, the maintainers and administrators can {doing} {name}."
