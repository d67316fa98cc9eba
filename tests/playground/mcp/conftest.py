import pytest
from django.test import Client

from accounts.tokens import create_token
from tests.playground.mcp.agent import LegacyAgent, ModernAgent


@pytest.fixture
def modern(ada):
    """A client of 2026-07-28 with a token of Ada's."""
    return ModernAgent(Client(), create_token(ada, scopes=("read", "run"))[1])


@pytest.fixture
def legacy(ada):
    """A client of 2025-11-25 with a token of Ada's, after the handshake."""
    agent = LegacyAgent(Client(), create_token(ada, scopes=("read", "run"))[1])
    agent.initialize()
    return agent
