"""Routers that rooms share: operations at one path must have the same router, whatever their methods."""

from ninja import Router

router = Router(tags=["tools"])
sources_router = Router(tags=["sources"])
