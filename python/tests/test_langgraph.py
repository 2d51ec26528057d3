"""The LangGraph adapter: a store that behaves as LangGraph's own, and memory around a node."""

from __future__ import annotations

import operator
import random
import time
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore, InvalidNamespaceError, SearchItem
from langgraph.store.memory import InMemoryStore

from holdfast import Holdfast
from holdfast._local import LocalServer
from holdfast.langgraph import HoldfastMemory, HoldfastStore


def settle(client: Holdfast) -> None:
    """Until all that was written has its vector: by words it is found at once, by meaning a moment later."""
    while (progress := client.status().embedding["progress"])["done"] < progress["total"]:
        time.sleep(0.01)


@pytest.fixture
def store(client: Holdfast) -> HoldfastStore:
    return HoldfastStore(client)


def test_an_item_comes_back(store: HoldfastStore) -> None:
    value = {"text": "喜欢深色模式", "n": 1, "f": 2.5, "none": None, "list": [1, {"a": True}], "deep": {"a": {"b": "c"}}}
    store.put(("memories", "lin"), "k/1 ?", value)
    item = store.get(("memories", "lin"), "k/1 ?")
    assert item is not None and (item.value, item.key, item.namespace) == (value, "k/1 ?", ("memories", "lin"))
    assert item.created_at == item.updated_at and item.created_at.utcoffset() is not None
    assert store.get(("memories", "lin"), "k") is None
    assert store.get(("memories",), "k/1 ?") is None


def test_an_item_that_is_overwritten(store: HoldfastStore, client: Holdfast) -> None:
    store.put(("m",), "k", {"text": "lives in Hangzhou"})
    first = store.get(("m",), "k")
    store.put(("m",), "k", {"text": "lives in Suzhou"})
    second = store.get(("m",), "k")
    assert first is not None and second is not None
    assert second.value == {"text": "lives in Suzhou"}
    assert second.created_at == first.created_at and second.updated_at > first.updated_at
    assert [item.value for item in store.search(("m",))] == [{"text": "lives in Suzhou"}]
    assert not any("Hangzhou" in str(item.value) for item in store.search(("m",), query="who lives in Hangzhou?"))


def test_what_is_deleted_is_gone_with_its_earlier_values(tmp_path: Path) -> None:
    words = [b"Kirchberg-4417", b"Oberwald-9982"]
    with Holdfast.local(tmp_path / "store", arguments=["--embedding", "none"], user="lin") as client:
        store = HoldfastStore(client)
        for word in words:
            store.put(("m",), "k", {"address": word.decode()})
        store.put(("m",), "other", {"address": "Talheim"})
        store.delete(("m",), "k")
        store.delete(("m",), "never there")
        assert store.get(("m",), "k") is None
        assert [item.key for item in store.search(("m",))] == ["other"]
        assert store.search(("m",), query="Kirchberg-4417") == []
        exported = "".join(client.export(all=True))
        assert "Talheim" in exported and not any(word.decode() in exported for word in words)
    left = b"".join(file.read_bytes() for file in (tmp_path / "store").rglob("*") if file.is_file())
    assert b"Talheim" in left
    for word in words:
        assert word not in left, "in some file of the store"


def test_secrets_do_not_come_back(store: HoldfastStore) -> None:
    store.put(("m",), "k", {"password": "Qz7!mv42Lw", "mail": "ask lin@example.com", "order": "A-2026-0117"})
    item = store.get(("m",), "k")
    assert item is not None and item.value == {"password": "«password:1»", "mail": "ask «email:1»", "order": "A-2026-0117"}


@pytest.mark.parametrize(
    ("query", "best"),
    [("坚果", "allergy"), ("谁不能吃坚果", "allergy"), ("what is the gateway written in", "gateway"), ("网关", "gateway")],
)
def test_search_finds_what_is_relevant(store: HoldfastStore, client: Holdfast, query: str, best: str) -> None:
    store.put(("m", "lin"), "allergy", {"text": "我妹妹对坚果过敏，点菜的时候记得避开"})
    store.put(("m", "lin"), "gateway", {"text": "The gateway (网关) is written in Rust"})
    store.put(("m", "zhou"), "other", {"text": "周末去爬山"})
    settle(client)
    found = store.search(("m",), query=query)
    assert found and found[0].key == best and found[0].score is not None
    assert all(isinstance(item, SearchItem) for item in found) and "other" not in [item.key for item in found]
    assert store.search(("m", "zhou"), query=query) == []


def test_what_is_searched_can_be_chosen(store: HoldfastStore) -> None:
    store.put(("m",), "whole", {"title": "zebra", "body": "quartz"})
    store.put(("m",), "titled", {"title": "zebra", "body": "quartz"}, index=["title"])
    store.put(("m",), "unsearched", {"title": "zebra", "body": "quartz"}, index=False)
    assert store.search(("m",), query="quartz")[0].key == "whole"
    assert {item.key for item in store.search(("m",), query="zebra")} == {"whole", "titled"}
    # By meaning the title may be near; the words of the body are not in what is searched.
    titled = store._versions(("m",), "titled")
    assert [event.content for event in titled] == ["zebra"]
    assert len(store.search(("m",))) == 3


def test_limits_are_said(store: HoldfastStore) -> None:
    with pytest.raises(ValueError, match="observe"):
        store.put(("m",), "k", {"text": "长" * 30_000})
    with pytest.raises(InvalidNamespaceError):
        store.put((), "k", {"a": 1})
    with pytest.raises(InvalidNamespaceError):
        store.put(("langgraph", "x"), "k", {"a": 1})
    with pytest.raises(NotImplementedError):
        store.put(("m",), "k", {"a": 1}, ttl=5)
    with pytest.raises(ValueError, match="JSON"):
        store.put(("m",), "k", {"a": float("nan")})


NAMESPACES = [("a",), ("a", "b"), ("a", "b", "d"), ("a", "c"), ("用户", "林"), ("用户", "a"), ("z", "b")]
FILTERS: list[dict[str, Any] | None] = [
    None,
    {"n": 3},
    {"n": {"$gte": 2, "$lt": 5}},
    {"n": {"$ne": 1}},
    {"color": "红"},
    {"color": {"$eq": "red"}, "n": {"$gt": 0}},
    {"inner": {"x": 1}},
    {"absent": None},
]


@pytest.mark.parametrize("seed", range(3))
def test_it_behaves_as_langgraphs_own_store(store: HoldfastStore, seed: int) -> None:
    """The same operations on LangGraph's InMemoryStore and on ours, and the same answers but for the order of a listing."""
    chance = random.Random(seed)
    reference = InMemoryStore()

    def both(call: Any) -> tuple[Any, Any]:
        return call(reference), call(store)

    def plain(items: list[SearchItem]) -> list[Any]:
        return sorted(((item.namespace, item.key, sorted(item.value.items(), key=str)) for item in items), key=str)

    for _ in range(60):
        namespace, key = chance.choice(NAMESPACES), chance.choice(["k1", "k2", "键"])
        if chance.random() < 0.7:
            value = {"n": chance.randrange(6), "color": chance.choice(["红", "red"]), "inner": {"x": chance.randrange(2)}}
            both(lambda s, n=namespace, k=key, v=value: s.put(n, k, v))
        else:
            both(lambda s, n=namespace, k=key: s.delete(n, k))
    for namespace in NAMESPACES:
        for key in ("k1", "k2", "键"):
            theirs, ours = both(operator.methodcaller("get", namespace, key))
            assert (theirs and theirs.value) == (ours and ours.value)
    for prefix in [(), ("a",), ("a", "b"), ("用户",), ("nothing",)]:
        for wanted in FILTERS:
            theirs, ours = both(lambda s, p=prefix, f=wanted: s.search(p, filter=f, limit=100))
            assert plain(theirs) == plain(ours), (prefix, wanted)
    held = {item.namespace for item in reference.search((), limit=1000)}
    for asked in [
        {},
        {"prefix": ("a",)},
        {"suffix": ("b",)},
        {"prefix": ("*", "b")},
        {"prefix": ("a",), "suffix": ("d",)},
        {"max_depth": 1},
        {"prefix": ("a",), "max_depth": 2},
    ]:
        # LangGraph's own keeps the names of namespaces that were emptied.
        theirs = [n for n in reference.list_namespaces(**asked, limit=100) if any(n == h[: len(n)] for h in held)]
        assert store.list_namespaces(**asked, limit=100) == theirs, asked
    assert store.list_namespaces(limit=2, offset=1) == store.list_namespaces(limit=100)[1:3]
    assert len(store.search((), limit=3, offset=2)) == min(3, max(0, len(reference.search((), limit=100)) - 2))


def test_a_batch_reads_before_it_writes(store: HoldfastStore) -> None:
    from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, SearchOp

    store.put(("m",), "k", {"v": 1})
    results = store.batch(
        [
            PutOp(("m",), "k", {"v": 2}),
            PutOp(("m",), "k", {"v": 3}),
            GetOp(("m",), "k"),
            SearchOp(("m",)),
            ListNamespacesOp(),
            GetOp(("m",), "absent"),
        ]
    )
    assert results[:2] == [None, None] and results[2].value == {"v": 1} and len(results[3]) == 1
    assert results[4:] == [[("m",)], None]
    assert store.get(("m",), "k").value == {"v": 3}  # type: ignore[union-attr]


async def test_async(store: HoldfastStore) -> None:
    await store.aput(("m",), "k", {"text": "喜欢深色模式"})
    item = await store.aget(("m",), "k")
    assert item is not None and item.value == {"text": "喜欢深色模式"}
    assert [found.key for found in await store.asearch(("m",), query="深色模式")] == ["k"]
    assert await store.alist_namespaces() == [("m",)]
    await store.adelete(("m",), "k")
    assert await store.aget(("m",), "k") is None and await store.alist_namespaces() == []


def test_users_and_conversations_are_apart(server: LocalServer, client: Holdfast, user: str) -> None:
    store = HoldfastStore(client)
    store.put(("m",), "k", {"text": "以后都用PDF。取消周报。"})
    client.start_task("周报")
    assert HoldfastStore(client.scoped(user=f"{user}-other")).list_namespaces() == []
    assert [item.content for item in client.scoped(session=None).events() if "PDF" in item.content] == []
    assert client.memories().items == [] and client.tasks().items[0].status == "open"
    # And all of it is the user's: one request reaches it.
    client.scoped(session=None).forget(everything=True, how="erase", reason="the user asked")
    assert store.get(("m",), "k") is None


def graph_of(node: Any, store: BaseStore | None = None) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("model", node)
    graph.add_edge(START, "model")
    return graph.compile(checkpointer=InMemorySaver(), store=store)


def config(thread: str, user: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "user_id": user}}


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("said", "asked", "told"),
    [("以后周报都先写结论", "帮我写周报", "先写结论"), ("From now on, send every report as PDF.", "Write the report.", "PDF")],
)
async def test_a_node_with_memory(client: Holdfast, user: str, is_async: bool, said: str, asked: str, told: str) -> None:
    prompts: list[list[Any]] = []

    def model(state: MessagesState) -> dict[str, Any]:
        prompts.append(list(state["messages"]))
        return {"messages": [AIMessage("好的")]}

    async def amodel(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
        assert config["configurable"]["thread_id"]
        return model(state)

    graph = graph_of(HoldfastMemory(client, budget_tokens=500).around(amodel if is_async else model))

    async def run(text: str, thread: str) -> dict[str, Any]:
        given = {"messages": [HumanMessage(text)]}
        if is_async:
            return await graph.ainvoke(given, config(thread, user))  # type: ignore[no-any-return]
        return graph.invoke(given, config(thread, user))  # type: ignore[no-any-return]

    await run(said, "monday")
    state = await run(asked, "tuesday")
    *_, block, question = prompts[-1]
    assert isinstance(block, HumanMessage) and told in str(block.content) and "<holdfast-context>" in str(block.content)
    assert question.content == asked
    assert [message.content for message in state["messages"]] == [asked, "好的"], "the state never holds the block"
    await run("谢谢", "tuesday")
    events = client.scoped(session="tuesday").events().items
    spoken = [(event.source, event.content) for event in events if event.kind in ("query", "response")]
    assert spoken == [("user", asked), ("agent", "好的"), ("user", "谢谢"), ("agent", "好的")], "each once"


def test_calls_of_tools_are_recorded_once(client: Holdfast, user: str) -> None:
    memory = HoldfastMemory(client)
    messages = [
        HumanMessage("查一下退货率", id="1"),
        AIMessage("", id="2", tool_calls=[{"name": "query", "args": {"表": "退货"}, "id": "c1"}]),
        ToolMessage("退货率 2.8%", tool_call_id="c1", id="3"),
        AIMessage("退货率是 2.8%", id="4"),
    ]
    first = memory.record(messages, config("t", user))
    assert memory.record(messages, config("t", user)) == first
    told = [(event.kind, event.content) for event in client.scoped(session="t").events()]
    assert told == [
        ("query", "查一下退货率"),
        ("tool_call", 'query({"表": "退货"})'),
        ("tool_result", "退货率 2.8%"),
        ("response", "退货率是 2.8%"),
    ]
