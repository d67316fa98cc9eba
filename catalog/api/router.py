"""The router of all that is about tools: operations at one address must belong to one, whatever their methods."""

from ninja import Router

router = Router(tags=["tools"])
