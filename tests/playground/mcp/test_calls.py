"""Calls through MCP are runs: results, refusals, violations, progress, cancellation."""

import pytest
from django.test import Client

from catalog.organise.lifecycle import deprecate
from catalog.tools.publishing import publish
from playground.mcp import methods
from playground.runs import running, waiting_room
from playground.runs.models import Run
from tests.factories import make_token, make_tool, make_user, properties, spec_text
from tests.playground.mcp.agent import LegacyAgent, messages_of
from toolshelf_core.fairness import SharedSlots
from toolspec.spec import read_spec

pytestmark = pytest.mark.usefixtures("runs")

KM = {"value": 1, "from_unit": "km", "to_unit": "m"}


def summary_of(result):
    return result["_meta"]["toolshelf/run"]


def text_of(result):
    return "\n".join(block["text"] for block in result["content"])


# -- the tools of the catalog -----------------------------------------------------------------------------------------


def test_search_finds_tools_with_reasons(modern, builtin):
    builtin("convert_units")
    make_tool(
        "mail.send", description="Send a mail", parameters=properties(recipient={"type": "string"})
    )

    found = modern.call("search_tools", {"query": "recipient"})["structuredContent"]

    assert [tool["id"] for tool in found["tools"]] == ["mail.send"]
    assert found["tools"][0]["matched"] == [
        {"field": "parameter", "parameter": "recipient", "text": "recipient"}
    ]
    assert found["tools"][0]["runnable"] is False
    assert found["count"] == 1


def test_search_can_leave_out_tools_that_cannot_be_called(modern, builtin):
    builtin("convert_units")
    make_tool("convert_money", description="convert")

    found = modern.call("search_tools", {"query": "convert", "runnable": True})["structuredContent"]

    assert [tool["id"] for tool in found["tools"]] == ["convert_units"]


def test_a_limit_may_be_written_as_a_float(modern):
    make_tool("a")

    assert len(modern.call("search_tools", {"limit": 10.0})["structuredContent"]["tools"]) == 1


def test_search_continues_at_its_cursor(modern):
    for number in range(3):
        make_tool(f"tool-{number}")

    first = modern.call("search_tools", {"limit": 2})["structuredContent"]
    second = modern.call("search_tools", {"limit": 2, "cursor": first["next_cursor"]})[
        "structuredContent"
    ]

    assert [tool["id"] for tool in first["tools"] + second["tools"]] == [
        "tool-0",
        "tool-1",
        "tool-2",
    ]
    assert "next_cursor" not in second


def test_search_explains_a_wrong_condition(modern):
    found = modern.call("search_tools", {"query": "is:runable"})["structuredContent"]

    assert found["tools"] == []
    assert "is:runnable" in found["problems"][0]


def test_search_refuses_another_cursor_and_wrong_arguments(modern):
    wrong_cursor = modern.call("search_tools", {"cursor": "x"})
    wrong_limit = modern.call("search_tools", {"limit": 1000})

    assert wrong_cursor["isError"] is True
    assert (
        text_of(wrong_cursor) == "This cursor is not valid; use `next_cursor` of the previous page."
    )
    assert wrong_limit["isError"] is True
    assert "/limit" in text_of(wrong_limit)


def test_a_tool_is_described_with_spec_lint_and_compatibility(modern, builtin):
    tool = builtin("convert_units")
    deprecate(tool, note="Use another.", superseded_by="")

    found = modern.call("describe_tool", {"tool": "convert_units"})["structuredContent"]

    assert found["spec"]["definition"]["examples"]
    assert found["runnable"] is True
    assert found["deprecation"] == {"note": "Use another.", "superseded_by": None}
    assert found["lint"]["score"] <= 100
    assert {fit["format"] for fit in found["compatibility"]} >= {"mcp", "openai", "anthropic"}


def test_numbers_of_a_spec_stay_exact(modern):
    parameters = '{"type": "object", "properties": {"x": {"type": "number", "maximum": 19.90}}}'
    source = spec_text("exact").replace('"exact",\n', f'"exact", "parameters": {parameters},\n', 1)
    publish(read_spec(source), by=None)

    response = modern.request(
        "tools/call", {"name": "describe_tool", "arguments": {"tool": "exact"}}
    )

    assert '"maximum": 19.90' in response.content.decode()


def test_an_unknown_id_gets_similar_ones(modern, builtin):
    builtin("convert_units")

    result = modern.call("describe_tool", {"tool": "convert-unit"})

    assert result["isError"] is True
    assert text_of(result) == "No tool has the id 'convert-unit'. Similar ones: 'convert_units'."


def test_a_call_is_a_run_of_the_user(modern, builtin, ada):
    builtin("convert_units")

    result = modern.call("call_tool", {"tool": "convert_units", "arguments": KM})

    run = Run.objects.get()
    assert (run.by, run.interface, run.outcome, run.verdict) == (ada, "mcp", "returned", "conforms")
    assert result["structuredContent"]["value"] == 1000
    assert result["isError"] is False
    assert summary_of(result) == {
        "id": run.pk,
        "url": f"http://testserver/runs/{run.pk}/",
        "tool": "convert_units",
        "revision": 1,
        "mode": "live",
        "outcome": "returned",
        "verdict": "conforms",
        "problems": [],
        "duration_ms": round(run.duration_ms),
    }


def test_a_legacy_client_gets_the_same(legacy, builtin):
    builtin("convert_units")

    result = legacy.call("call_tool", {"tool": "convert_units", "arguments": KM})

    assert result["structuredContent"]["value"] == 1000
    assert "resultType" not in result


def test_a_response_that_is_no_object_is_text_for_legacy_clients(legacy, modern):
    make_tool("list_it", returnType={"const": [1, 2]})
    arguments = {"tool": "list_it", "arguments": {}}

    old, new = (agent.at("/mcp?mock=1").call("call_tool", arguments) for agent in (legacy, modern))

    assert new["structuredContent"] == [1, 2]
    assert "structuredContent" not in old
    assert old["content"][0] == new["content"][0] == {"type": "text", "text": "[1, 2]"}


def test_refused_arguments_are_explained(modern, builtin):
    builtin("convert_units")

    result = modern.call("call_tool", {"tool": "convert_units", "arguments": {"value": "x"}})

    assert result["isError"] is True
    assert text_of(result).startswith(
        "The tool was not called, because the arguments do not fit its parameters:\n- "
    )
    assert "- /value: " in text_of(result)
    assert text_of(result).endswith("Correct the arguments and call it again.")
    assert summary_of(result)["outcome"] == "refused"
    assert summary_of(result)["problems"][0]["pointer"].startswith("/parameters")


def test_a_tool_without_a_factory_is_not_called(modern):
    make_tool("imported")

    result = modern.call("call_tool", {"tool": "imported"})

    assert result["isError"] is True
    assert text_of(result).startswith("The tool was not called.\n- This tool is mock only")


def test_a_violation_is_an_error_with_the_response(modern, legacy, builtin):
    builtin("drifting_thermometer")
    arguments = {"tool": "drifting_thermometer", "arguments": {"hours_since_calibration": 50}}

    for agent in (modern, legacy):
        result = agent.call("call_tool", arguments)

        assert result["isError"] is True
        assert "structuredContent" not in result
        assert "- /readings/1/temperature: " in text_of(result)
        assert '"temperature": "lukewarm"' in text_of(result)
        assert summary_of(result)["verdict"] == "violates"
        assert summary_of(result)["problems"]


def test_a_tool_that_fails_is_an_error_without_traceback(modern, builtin):
    builtin("count_slowly")

    arguments = {"steps": 1, "seconds": 0.1, "fail_at": 1}
    result = modern.call("call_tool", {"tool": "count_slowly", "arguments": arguments})

    assert result["isError"] is True
    assert text_of(result) == "The tool failed: RuntimeError: Failed at step 1, as requested."


def test_a_time_limit_ends_a_call(modern, builtin):
    builtin("count_slowly")

    arguments = {"steps": 1, "seconds": 60}
    result = modern.call(
        "call_tool", {"tool": "count_slowly", "arguments": arguments, "timeout_s": 0.5}
    )

    assert text_of(result) == "The tool did not respond within 0.5 s and was stopped."


def test_a_mock_is_marked(modern, legacy, builtin):
    builtin("convert_units")

    for agent in (modern, legacy):
        result = agent.at("/mcp?mock=1").call(
            "call_tool", {"tool": "convert_units", "arguments": KM}
        )

        assert result["structuredContent"]
        assert result["content"][1]["text"].startswith("This is a mock: the tool was not called.")
        assert summary_of(result)["mode"] == "mock"
        assert summary_of(result)["mock"]["source"]


def test_nothing_is_mocked_unless_the_address_requests_it(modern):
    make_tool("imported")

    assert modern.call("call_tool", {"tool": "imported"})["isError"] is True
    assert modern.at("/mcp?mock=0").call("call_tool", {"tool": "imported"})["isError"] is True


def test_a_full_waiting_room_is_an_error_that_the_model_can_read(modern, builtin, monkeypatch):
    builtin("hash_text")
    monkeypatch.setattr(waiting_room, "_threads", SharedSlots(1, reserve=0))
    waiting_room.enter("")

    result = modern.call("call_tool", {"tool": "hash_text", "arguments": {"text": "a"}})

    assert result["isError"] is True
    assert text_of(result) == methods.FULL
    assert Run.objects.count() == 0


def test_every_call_leaves_the_waiting_room(modern, builtin, monkeypatch):
    builtin("convert_units")
    monkeypatch.setattr(waiting_room, "_threads", SharedSlots(1, reserve=0))

    for arguments in (KM, {"value": "wrong"}, KM):
        modern.call("call_tool", {"tool": "convert_units", "arguments": arguments})
        modern.events(
            "call_tool",
            {"tool": "convert_units", "arguments": arguments},
            _meta={"progressToken": 1},
        )

    assert waiting_room.enter("")


def test_a_full_queue_is_an_error_that_the_model_can_read(modern, builtin, settings):
    builtin("hash_text")
    settings.RUN_SLOTS, settings.RUN_QUEUE_MAX = 1, 0
    slow = builtin("count_slowly")
    run = running.start(slow, slow.current, {"seconds": 60}, by=None)

    result = modern.call("call_tool", {"tool": "hash_text", "arguments": {"text": "a"}})

    running.cancel(run)
    assert result["isError"] is True
    assert text_of(result).startswith("The queue is full")


# -- progress and cancellation ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_progress_is_streamed_before_the_result(request, builtin, era):
    agent = request.getfixturevalue(era)
    builtin("count_slowly")
    arguments = {"tool": "count_slowly", "arguments": {"steps": 3, "seconds": 0.9}}

    *notifications, response = agent.events("call_tool", arguments, _meta={"progressToken": "p"})

    assert {one["method"] for one in notifications} == {"notifications/progress"}
    reports = [one["params"] for one in notifications]
    assert reports[0] == {"progressToken": "p", "progress": 0, "total": 3, "message": "begun"}
    assert reports[-1]["progress"] == 3
    done = [report["progress"] for report in reports]
    assert done == sorted(set(done))
    assert response["result"]["structuredContent"] == {"counted": 3, "message": "Counted to 3."}


def test_without_a_progress_token_there_is_no_stream(modern, builtin):
    builtin("hash_text")

    params = {"name": "call_tool", "arguments": {"tool": "hash_text", "arguments": {"text": "a"}}}

    assert modern.request("tools/call", params)["Content-Type"] == "application/json"


def test_a_client_that_does_not_accept_events_gets_json(modern, builtin):
    builtin("hash_text")
    params = {"name": "call_tool", "arguments": {"tool": "hash_text", "arguments": {"text": "a"}}}

    response = modern.request(
        "tools/call", {**params, "_meta": {"progressToken": 1}}, Accept="application/json"
    )

    assert response["Content-Type"] == "application/json"
    assert response.json()["result"]["isError"] is False


def test_a_long_call_becomes_a_stream(modern, builtin, monkeypatch):
    monkeypatch.setattr("playground.mcp.streams.STREAM_AFTER_S", 0.1)
    builtin("count_slowly")

    messages = modern.events(
        "call_tool", {"tool": "count_slowly", "arguments": {"steps": 1, "seconds": 1}}
    )

    assert [message.get("method") for message in messages] == [None]
    assert messages[0]["result"]["isError"] is False


def test_closing_the_stream_cancels_the_call(modern, builtin):
    builtin("count_slowly")
    params = {
        "name": "call_tool",
        "arguments": {"tool": "count_slowly", "arguments": {"steps": 2, "seconds": 60}},
    }

    response = modern.request("tools/call", {**params, "_meta": {"progressToken": 1}})
    first = messages_of(next(iter(response.streaming_content)).decode())
    response.close()

    assert first[0]["method"] == "notifications/progress"
    assert Run.objects.get().outcome == "cancelled"


def test_closing_the_stream_of_a_legacy_client_cancels_nothing(legacy, builtin):
    builtin("count_slowly")
    params = {
        "name": "call_tool",
        "arguments": {"tool": "count_slowly", "arguments": {"steps": 2, "seconds": 1}},
    }

    response = legacy.request("tools/call", {**params, "_meta": {"progressToken": 1}})
    next(iter(response.streaming_content))
    response.close()

    assert running.wait(Run.objects.with_names().get(), 20).outcome == "returned"


def test_a_legacy_client_cancels_with_a_notification(legacy, builtin):
    builtin("count_slowly")
    params = {
        "name": "call_tool",
        "arguments": {"tool": "count_slowly", "arguments": {"steps": 2, "seconds": 60}},
    }
    message = legacy.message("tools/call", {**params, "_meta": {"progressToken": 1}})

    stream = iter(legacy.post(message).streaming_content)
    next(stream)
    assert legacy.notify("notifications/cancelled", {"requestId": message["id"]}).status_code == 202
    messages = messages_of(b"".join(stream).decode())

    assert messages[-1]["result"]["isError"] is True
    assert summary_of(messages[-1]["result"])["outcome"] == "cancelled"


def test_only_the_own_session_can_cancel(legacy, ada, builtin):
    builtin("count_slowly")
    params = {
        "name": "call_tool",
        "arguments": {"tool": "count_slowly", "arguments": {"steps": 2, "seconds": 60}},
    }
    message = legacy.message("tools/call", {**params, "_meta": {"progressToken": 1}})
    other_session = LegacyAgent(Client(), make_token("run", user=ada))
    other_user = LegacyAgent(Client(), make_token("run", user=make_user("eve")))
    stream = iter(legacy.post(message).streaming_content)
    next(stream)

    for other in (other_session, other_user):
        other.initialize()
        other.notify("notifications/cancelled", {"requestId": message["id"]})

    assert Run.objects.get().cancel_requested_at is None
    legacy.notify("notifications/cancelled", {"requestId": message["id"]})
    list(stream)


def test_a_cancellation_of_nothing_is_accepted(legacy):
    assert legacy.notify("notifications/cancelled", {"requestId": 99}).status_code == 202
    assert legacy.notify("notifications/cancelled", {}).status_code == 202


def test_no_secret_reaches_the_result(modern):
    make_tool(
        "secretive",
        parameters=properties(key={"type": "string", "writeOnly": True}),
        returnType={"type": "object"},
        examples=[{"parameters": {"key": "k"}, "returnValue": {"echo": "hunter2-marker"}}],
    )

    result = modern.at("/mcp?mock=1").call(
        "call_tool", {"tool": "secretive", "arguments": {"key": "hunter2-marker"}}
    )

    assert "hunter2-marker" not in str(result)
