"""The official `openai` client with its base URL changed, through the proxy, to a scripted service."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import openai
import pytest

from holdfast import Holdfast
from holdfast._local import LocalServer

ROOT = Path(__file__).resolve().parent.parent.parent
KEY = "sk-test-7731"


class Service:
    """Answers as it is told, in order, and keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.answers: list[Any] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                service.sent.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                service.keys.append(self.headers["authorization"])
                answer = service.answers.pop(0)
                if isinstance(answer, list):
                    self.send_response(200)
                    self.send_header("content-type", "text/event-stream")
                    self.send_header("transfer-encoding", "chunked")
                    self.end_headers()
                    for event in answer:
                        kind = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
                        data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
                        piece = f"{kind}data: {data}\n\n".encode()
                        self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                        self.wfile.flush()
                    self.wfile.write(b"0\r\n\r\n")
                    return
                status, body = answer
                said = json.dumps(body, ensure_ascii=False).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def says(self, text: str | None, calls: list[dict[str, Any]] | None = None) -> None:
        message = {"role": "assistant", "content": text, "tool_calls": calls}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        self.answers.append((200, completion("chat.completion", [choice])))

    def streams(self, *deltas: dict[str, Any]) -> None:
        choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
        self.answers.append([*(completion("chat.completion.chunk", [choice]) for choice in choices), "[DONE]"])

    def last(self) -> Any:
        return self.sent[-1]["messages"][-1]["content"]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def completion(kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 0, "model": "m", "choices": choices}


def response(identity: str, text: str) -> dict[str, Any]:
    said = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [said]}
    return {
        "id": identity,
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": "m",
        "output": [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.close()


@pytest.fixture(scope="module")
def proxied(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    arguments = ["--upstream", service.url, "--memory-wait", "10m"]
    started = LocalServer(tmp_path_factory.mktemp("proxy") / "store", arguments=arguments)
    yield started
    started.stop()


@pytest.fixture
def client(proxied: LocalServer, user: str) -> openai.OpenAI:
    headers = {"Holdfast-User": user}
    return openai.OpenAI(base_url=f"{proxied.base_url}/openai/v1", api_key=KEY, default_headers=headers, max_retries=0)


def test_a_rule_of_one_talk_is_kept_in_the_next(client: openai.OpenAI, service: Service) -> None:
    for said, asked, wanted in [
        ("以后周报都先写结论，再列数据", "写一下本周的周报", "先写结论"),
        ("From now on, always answer in bullet points", "write the summary", "bullet points"),
    ]:
        service.says("OK")
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": said}])
        service.says("好的。")
        replied = client.chat.completions.create(model="m", messages=[{"role": "user", "content": asked}])
        assert replied.choices[0].message.content == "好的。"
        assert wanted in service.last() and service.last().endswith(asked)
        assert service.keys[-1] == f"Bearer {KEY}"


def test_a_loop_of_tools(client: openai.OpenAI, service: Service, proxied: LocalServer, user: str) -> None:
    tools: Any = [{"type": "function", "function": {"name": "sql", "parameters": {"type": "object", "properties": {}}}}]
    talk: list[Any] = [{"role": "user", "content": "查一下上周的退货率"}]
    call = {"id": "call_1", "type": "function", "function": {"name": "sql", "arguments": '{"q": "return_rate"}'}}
    service.says(None, [call])
    asked = client.chat.completions.create(model="m", messages=talk, tools=tools, parallel_tool_calls=False)
    assert service.sent[-1]["tools"] == tools and service.sent[-1]["parallel_tool_calls"] is False
    calls = asked.choices[0].message.tool_calls
    assert calls is not None
    talk.append(asked.choices[0].message.model_dump(exclude_none=True))
    talk.append({"role": "tool", "tool_call_id": calls[0].id, "content": "退货率 2.8%"})
    service.streams({"role": "assistant", "content": "上周"}, {"content": "是 2.8%。"})
    stream = client.chat.completions.create(model="m", messages=talk, tools=tools, stream=True)
    said = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert said == "上周是 2.8%。"
    talk += [{"role": "assistant", "content": said}, {"role": "user", "content": "谢谢"}]
    service.says("不客气")
    client.chat.completions.create(model="m", messages=talk)
    with Holdfast(proxied.base_url, user=user) as memory:
        events = list(memory.events())
    assert [event["content"] for event in events][:5] == [
        "查一下上周的退货率",
        'sql({"q": "return_rate"})',
        "退货率 2.8%",
        "上周是 2.8%。",
        "谢谢",
    ]


def test_responses_streamed_and_not(client: openai.OpenAI, service: Service) -> None:
    service.answers.append((200, response("resp_1", "好的")))
    first = client.responses.create(model="m", input="以后周报都先写结论")
    done = response("resp_2", "结论：退货率 2.8%")
    service.answers.append(
        [
            {"type": "response.created", "response": {**done, "output": []}, "sequence_number": 0},
            {
                "type": "response.output_text.delta",
                "delta": "结论：退货率 2.8%",
                "item_id": "msg_1",
                "output_index": 0,
                "content_index": 0,
                "logprobs": [],
                "sequence_number": 1,
            },
            {"type": "response.completed", "response": done, "sequence_number": 2},
        ]
    )
    stream = client.responses.create(model="m", input="写周报", previous_response_id=first.id, stream=True)
    kinds = [event.type for event in stream]
    assert kinds == ["response.created", "response.output_text.delta", "response.completed"]
    assert service.sent[-1]["input"] == "写周报"
    assert "先写结论" in service.sent[-1]["instructions"]


async def test_the_async_client(client: openai.OpenAI, service: Service) -> None:
    async with openai.AsyncOpenAI(base_url=client.base_url, api_key=KEY, default_headers=client.default_headers, max_retries=0) as asked:
        service.streams({"content": "你好"})
        stream = await asked.chat.completions.create(model="m", messages=[{"role": "user", "content": "你好"}], stream=True)
        assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream]) == "你好"


def test_what_goes_wrong_is_told_as_the_client_tells_it(client: openai.OpenAI, service: Service) -> None:
    service.answers.append((429, {"error": {"message": "slow down", "type": "rate_limit", "code": "rate_limit"}}))
    with pytest.raises(openai.RateLimitError, match="slow down"):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
    with pytest.raises(openai.BadRequestError, match="holdfast-trim"):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}], extra_headers={"Holdfast-Trim": "viel"})


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_the_client_of_the_readmes(page: str, service: Service, proxied: LocalServer, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (block,) = re.findall(r"^```python openai\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    made: dict[str, Any] = {}
    exec(block.replace("http://127.0.0.1:8765", proxied.base_url), made)
    service.says("记得")
    replied = made["client"].chat.completions.with_raw_response.create(
        model="m", messages=[{"role": "user", "content": "你记得我吗？"}], extra_headers={"Holdfast-User": user}
    )
    assert replied.headers["holdfast-memory"] == "used"
