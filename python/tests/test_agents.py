"""The session of the OpenAI Agents SDK, against the SDK's own SQLite session and in its own runner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agents import Agent, ModelResponse, RunConfig, Runner, SessionSettings, SQLiteSession, Usage, function_tool
from agents.memory import Session
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from holdfast import AsyncHoldfast
from holdfast.agents import HoldfastSession, context_filter

ITEMS: list[Any] = [
    {"role": "user", "content": "写完周报了吗？"},
    {
        "type": "message",
        "role": "assistant",
        "id": "m1",
        "status": "completed",
        "content": [{"type": "output_text", "text": "还没有", "annotations": []}],
    },
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "What does the chart show?"},
            {"type": "input_image", "image_url": "https://x/y.png", "detail": "auto"},
        ],
    },
    {"type": "function_call", "call_id": "c1", "name": "query", "arguments": '{"table": "退货"}', "id": "f1"},
    {"type": "function_call_output", "call_id": "c1", "output": "2.8%"},
    {"type": "reasoning", "id": "r1", "summary": []},
    {"role": "developer", "content": "Be short."},
    {"role": "user", "content": ""},
]


@pytest.fixture
def session(async_client: AsyncHoldfast) -> HoldfastSession:
    return HoldfastSession("mon", async_client)


async def test_it_behaves_as_the_sdks_own_session(session: HoldfastSession, async_client: AsyncHoldfast) -> None:
    assert isinstance(session, Session)
    other, theirs = HoldfastSession("tue", async_client), SQLiteSession("mon")
    for each in (session, theirs):
        assert await each.get_items() == [] and await each.pop_item() is None
        await each.add_items([])
        await each.add_items(ITEMS[:3])
        await each.add_items(ITEMS[3:])
    await other.add_items([{"role": "user", "content": "another session"}])
    for limit in (None, 1, 3, 100, 0):
        assert await session.get_items(limit) == await theirs.get_items(limit), limit
    assert await session.get_items() == ITEMS
    for _ in range(3):
        assert await session.pop_item() == await theirs.pop_item()
    assert await session.get_items() == await theirs.get_items() == ITEMS[:-3]
    for each in (session, theirs):
        await each.clear_session()
        await each.clear_session()
        assert await each.get_items() == []
        await each.add_items(ITEMS[:1])
        assert await each.get_items() == ITEMS[:1]
    assert len(await other.get_items()) == 1
    settled = HoldfastSession("tue", async_client, session_settings=SessionSettings(limit=0))
    assert await settled.get_items() == [] and len(await settled.get_items(5)) == 1


async def test_a_turn_about_several_tasks_stays_one_item(session: HoldfastSession, async_client: AsyncHoldfast) -> None:
    turns: list[Any] = [
        {"role": "user", "content": text} for text in ("新任务：写读书会方案", "新任务：准备迁移", "读书会方案写完了，迁移推迟到周五。")
    ]
    for turn in turns:
        await session.add_items([turn])
    events = (await async_client.scoped(session="mon").events()).items
    assert len([event for event in events if event.source == "user"]) == 4, "the last turn is an event for each task"
    assert await session.get_items() == turns
    assert await session.pop_item() == turns[-1]
    assert await session.get_items() == turns[:-1]
    assert not any("推迟" in event.content for event in (await async_client.scoped(session="mon").events()).items)


async def test_a_long_output_comes_back_whole(session: HoldfastSession) -> None:
    items: list[Any] = [
        {"type": "function_call_output", "call_id": "c", "output": "第一行 \u2028\n" * 20_000},
        {
            "type": "message",
            "role": "assistant",
            "id": "m",
            "content": [{"type": "output_text", "text": " x\n" * 60_000, "annotations": []}],
        },
    ]
    await session.add_items(items)
    assert await session.get_items() == items


async def test_what_is_cleared_is_gone_from_the_disk(tmp_path: Path) -> None:
    async with await AsyncHoldfast.local(tmp_path / "store", arguments=["--embedding", "none"]) as client:
        session = HoldfastSession("mon", client)
        await session.add_items([{"role": "user", "content": "I live in Kirchberg-4417."}, {"role": "user", "content": "Oberwald-9982"}])
        await session.pop_item()
        await HoldfastSession("tue", client).add_items([{"role": "user", "content": "Talheim"}])
        await session.clear_session()
    left = b"".join(file.read_bytes() for file in (tmp_path / "store").rglob("*") if file.is_file())
    assert b"Talheim" in left and b"Kirchberg-4417" not in left and b"Oberwald-9982" not in left


class Scripted(Model):
    """Says what it is told to, and keeps what it was asked."""

    def __init__(self, *turns: Any) -> None:
        self.turns = list(turns)
        self.asked: list[list[Any]] = []

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        self.asked.append(list(input) if isinstance(input, list) else [input])
        return ModelResponse(output=[self.turns.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def message(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[part])


async def test_in_the_sdks_runner(async_client: AsyncHoldfast) -> None:
    @function_tool
    def rate(table: str) -> str:
        """The rate of returns."""
        return f"{table}: 2.8%"

    call = ResponseFunctionToolCall(type="function_call", call_id="c1", name="rate", arguments='{"table": "退货"}')
    model = Scripted(message("记住了"), call, message("退货率是 2.8%"))
    agent = Agent(name="a", model=model, tools=[rate])
    monday, tuesday = (async_client.scoped(session=day) for day in ("mon", "tue"))

    def run_config(client: AsyncHoldfast) -> RunConfig:
        return RunConfig(call_model_input_filter=context_filter(client, budget_tokens=500), tracing_disabled=True)

    await Runner.run(agent, "以后周报都先写结论", session=HoldfastSession("mon", monday), run_config=run_config(monday))
    session = HoldfastSession("tue", tuesday)
    done = await Runner.run(agent, "写周报，查一下退货率", session=session, run_config=run_config(tuesday))
    assert done.final_output == "退货率是 2.8%"
    # What Monday's session laid down is in Tuesday's prompts, before the user's turn, and in no session.
    for asked in model.asked[1:]:
        places = [n for n, item in enumerate(asked) if "<holdfast-context>" in str(item)]
        assert len(places) == 1 and "先写结论" in str(asked[places[0]])
        assert asked[places[0] + 1]["content"] == "写周报，查一下退货率"
    items = await session.get_items()
    assert [item.get("type", item.get("role")) for item in items] == ["user", "function_call", "function_call_output", "message"]
    assert "<holdfast-context>" not in str(items)
    sources = [(event.source, event.kind) for event in await tuesday.events() if event.kind != "task_switch"]
    assert sources == [("user", "query"), ("agent", "tool_call"), ("tool", "tool_result"), ("agent", "response")]
