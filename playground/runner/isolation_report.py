"""How runs are isolated on this machine, explained for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Feature:
    """One isolation feature.

    Attributes:
        text: what it does; if it is off, why.
    """

    name: str
    is_on: bool
    text: str


def features_of(isolation: Mapping[str, Any]) -> tuple[Feature, ...]:
    """The features that a worker found on its machine (`playground.worker.probe.as_json`)."""
    mode, own_users, refused = isolation["mode"], isolation["own_users"], isolation["refused"]
    namespaces = mode == "namespaces"
    no_namespaces = "Off: " + (refused.get("namespaces") or refused.get("namespaces and users") or "not tried")
    no_users = "Off: " + (
        refused.get("namespaces and users") or refused.get("users") or "the server is not started by root"
    )
    return (
        Feature(
            "One process per run",
            is_on=True,
            text="Each run starts from a clean state, in a session of its own, and is never used again.",
        ),
        Feature(
            "Limits",
            is_on=True,
            text="Time, memory, processor, files, processes, output and response are bounded.",
        ),
        Feature(
            "Clean environment",
            is_on=True,
            text="A run sees a short list of environment variables, and none of the server's open files.",
        ),
        Feature(
            "Own processes",
            is_on=namespaces,
            text="A run sees and signals its own processes only, and none outlives it."
            if namespaces
            else no_namespaces,
        ),
        Feature(
            "Own files",
            is_on=namespaces,
            text="A run writes to its private directory only, and does not see the site's data."
            if namespaces
            else no_namespaces,
        ),
        Feature(
            "Bounds on all of a run",
            is_on=isolation["control_groups"],
            text="A control group bounds the memory and the processes of a run together."
            if isolation["control_groups"]
            else "No control group, so memory is measured ten times a second instead: "
            + refused.get("control groups", "not tried"),
        ),
        Feature(
            "Own user",
            is_on=own_users,
            text=(
                "Each run has a user that owns nothing on this machine."
                if namespaces
                else "Each factory has a user that owns nothing on this machine."
            )
            if own_users
            else no_users,
        ),
    )
