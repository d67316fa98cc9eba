"""How runs are isolated on this machine, in sentences for users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Feature:
    """One isolation feature.

    Attributes:
        text: what it does; if it is off, why.
    """

    name: str
    is_on: bool
    text: str


_CONTROL_GROUP: Final = (
    "A control group limits the memory and the number of all processes of a run together."
)


def features_of(isolation: Mapping[str, Any]) -> tuple[Feature, ...]:
    """The features of a worker's machine (`playground.runner.worker.probe.as_json`)."""
    mode, own_users, refused = isolation["mode"], isolation["own_users"], isolation["refused"]
    networks = isolation["networks"]
    namespaces = mode == "namespaces"
    no_namespaces = "Off: " + (
        refused.get("namespaces") or refused.get("namespaces and users") or "not tried"
    )
    no_users = "Off: " + (
        refused.get("users")
        or refused.get("namespaces and users")
        or "the server is not started by root"
    )
    return (
        Feature(
            "One process per run",
            is_on=True,
            text="Each run starts in a new process and session, which are never reused.",
        ),
        Feature(
            "Limits",
            is_on=True,
            text="Time, memory, processor, files, processes, output and response are limited.",
        ),
        Feature(
            "Clean environment",
            is_on=True,
            text=(
                "A run sees a short list of environment variables, "
                "and none of the server's open files."
            ),
        ),
        Feature(
            "Own processes",
            is_on=namespaces,
            text="A run sees and signals only its own processes, and none of them outlives it."
            if namespaces
            else no_namespaces,
        ),
        Feature(
            "Own files",
            is_on=namespaces,
            text="A run writes only to its private directory, and does not see the site's data."
            if namespaces
            else f"{no_namespaces}. {_WITH_OWN_USER if own_users else _WITHOUT_OWN_USER}",
        ),
        Feature(
            "Limits for the whole run",
            is_on=isolation["control_groups"],
            text=_CONTROL_GROUP
            if isolation["control_groups"]
            else "No control group, so memory is measured ten times a second instead: "
            + refused.get("control groups", "not tried"),
        ),
        Feature(
            "Own user",
            is_on=own_users,
            text=(_USER_PER_RUN if namespaces else _USER_PER_FACTORY) if own_users else no_users,
        ),
        Feature(
            "Network",
            is_on=not networks["none"],
            text=_network_text(networks),
        ),
    )


_USER_PER_RUN: Final = "Each run has a user that owns nothing on this machine."
_USER_PER_FACTORY: Final = (
    "The runs of a factory share a user that owns nothing else on this machine."
)
_WITH_OWN_USER: Final = "A run can read only files that every user of this machine can read."
_WITHOUT_OWN_USER: Final = (
    "A run has the rights of the site's user: it can read and change the site's database and keys. "
    "Install only factories that may do so."
)


def _network_text(networks: Mapping[str, str]) -> str:
    if networks["none"]:
        return (
            "Every run has the network of the site itself. The values none and outward of "
            f"TOOL_NETWORK are not available here: {networks['none']}."
        )
    if networks["outward"]:
        return (
            "The setting TOOL_NETWORK can cut a factory off from the network (none). "
            f"Its value outward is not available here: {networks['outward']}."
        )
    return (
        "The setting TOOL_NETWORK cuts a factory off from the network (none), or allows it HTTP "
        "and HTTPS to public addresses (outward). Without it, a run has the network of the site "
        "itself, with its loopback interface (all)."
    )
