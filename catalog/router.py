"""Routers that rooms share: all operations at one path must be in the same router."""

from ninja import Router

router = Router(tags=["tools"])
sources_router = Router(tags=["sources"])
