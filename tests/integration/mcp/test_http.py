"""MCP over HTTP: the SDK's client against a running web process."""

import json

import pytest

from core.testing import Cast
from tests.integration.mcp.conftest import MODES, HttpPerson, given, told
from tests.integration.rest.conftest import Library

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("mode", MODES)
def test_search(mode: str, address: str, cast: Cast, library: Library) -> None:
    """x"""
    person = HttpPerson(address, cast.bob)
    tools = person.session(lambda client: client.list_tools(), mode)
    print(tools.model_dump_json(indent=1)[:3000])
    print(person.call("search", mode, query="vault harbour office"))
    print(person.call("ask", mode, question="When does the canteen in the harbour office open?"))
    print(person.call("ask", mode, question="When does the canteen in the harbour office open?", foo=1))
    print(person.call("nope", mode))
    assert 0
