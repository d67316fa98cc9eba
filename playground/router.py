"""The router of all operations of the playground: operations at one path must share a router."""

from ninja import Router

router = Router(tags=["runs"])
