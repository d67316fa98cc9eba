"""The router of all operations about tools: operations at one path must share a router, whatever their methods."""

from ninja import Router

router = Router(tags=["tools"])
