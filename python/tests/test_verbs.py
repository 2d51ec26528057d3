"""What each verb does, against the real server, with both clients."""

from __future__ import annotations

import inspect
from datetime import datetime, timedelta, timezone

import pytest
from conftest import Either

from holdfast import AsyncHoldfast, Holdfast, HoldfastError, Observed, Refused, moment


async def test_every_public_method(either: Either, user: str) -> None:
    assert (await either.health())["status"] == "ok"
    assert (await either.ready())["status"] == "ready"

    # Events.
    said = await either.observe("以后周报都先写结论，再列数据", metadata={"origin_of": "chat"})
    assert said.seq > 0 and not said.duplicate
    lines = await either.observe_many(
        [
            "The quarterly review moved to Friday.",
            {"content": "网关部署在两台机器上", "source": "tool"},
            {"content": ""},
            {"content": "ok", "source": "nobody"},
        ]
    )
    assert [type(line) for line in lines] == [Observed, Observed, Refused, Refused]
    assert "empty" in lines[2].error and "source" in lines[3].error
    page = await either.events(limit=2)
    assert len(page) == 2 and page.next is not None
    rest = await either.events(after=page.next)
    assert [event.content for event in rest] == ["网关部署在两台机器上"] and rest.next is None
    assert rest.items[0].kind == "tool_result" and rest.items[0].trust == "untrusted"
    shown = await either.event(said.id)
    assert shown.content == "以后周报都先写结论，再列数据" and shown.metadata["origin_of"] == "chat" and shown.user == user
    history = await either.event_history(said.id)
    assert history.event.id == said.id and history.operations[0].verb == "observe"

    # Tasks.
    on = either.scoped(task="report")
    started = await on.start_task("周报", goal="写第47周周报", constraints=["不超过一页"])
    assert (started.id, started.version) == ("report", 1) and started.frame is not None
    assert [task.id for task in await either.tasks()] == ["report"]
    updated = await on.update([{"action": "plan", "steps": ["取数", "成文"]}, {"action": "next_step"}], expected_version=1)
    assert updated.version == 2 and updated.task.version == 2 and not updated.repeated
    with pytest.raises(HoldfastError) as conflict:
        await on.update([{"action": "next_step"}], expected_version=1)
    assert (conflict.value.code, conflict.value.status, conflict.value.more["current_version"]) == ("version_conflict", 409, 2)
    first = await on.update([{"action": "warn", "text": "数据未复核"}], idempotency_key="w")
    again = await on.update([{"action": "warn", "text": "数据未复核"}], idempotency_key="w")
    assert (first.version, again.version, again.repeated) == (3, 3, True)
    assert (await either.task("report")).version == 3

    # The block, and search.
    block = await either.context("接着写周报", budget_tokens=800, language="zh")
    for line in ("写第47周周报", "不超过一页", "取数", "数据未复核", "先写结论"):
        assert line in block.text
    assert 0 < block.tokens <= 800 and block.task == "report" and str(block) == block.text
    assert (await either.context("接着写周报", budget_tokens=800, language="zh")).fingerprint == block.fingerprint
    await on.context("取数", step=True)
    with pytest.raises(HoldfastError) as order:
        await on.context("取数", step=True)
    assert order.value.code == "out_of_order"
    await on.abandon_step()
    found = await either.recall("when is the quarterly review?", explain=True)
    assert found.explain is not None and any("Friday" in hit.text for hit in found.hits)
    assert any(hit.event is not None and hit.event.source == "user" for hit in found.hits)
    assert all(hit.event is None for hit in (await either.recall("量子色动力学", kinds=["plan"])).hits)

    # Long-term memory.
    (rule,) = [memory for memory in await either.memories() if memory.kind == "rule"]
    assert (await either.memory(rule.id)).sources[0]["event"] == said.id
    assert (await either.memory_history(rule.id)).operations[0].verb == "remember"
    added = await either.add_memory("周报发给老周", kind="rule", applies="task_kind", to="周报", importance=4)
    assert added.status == "active" and added["applies"] == "task_kind"
    assert (await either.confirm(added.id, reason="asked")).confidence >= added.confidence
    helped = await either.feedback([rule.id], "helped")
    assert helped[0]["uses"]["helped"] == 1
    assert (await either.retract(added.id, reason="no longer")).status == "retracted"
    assert (await either.learn(dry_run=True)).events >= 0

    ended = await on.end_task("success", expected_version=3)
    assert ended.task.status == "done" and ended.task.closing["outcome"] == "success"

    # The journal.
    newest = await either.journal(limit=3)
    assert len(newest) == 3 and newest.items[0].position > newest.items[1].position
    assert (await either.verify_journal())["operations"] >= 3
    (observed,) = await either.first("tail", 1, after=0, verb="observe")
    assert observed.verb == "observe" and observed.target_id == said.id
    report = await either.report()
    assert report.blocks_served >= 3 and "report" in report.tasks
    assert "周报" in await either.report_page()
    assert (await either.report_page(format="html")).startswith("<!")
    preview = await either.undo(operation=(await either.journal(verb="retract", limit=1)).items[0].id, preview=True)
    assert preview.memories == 1
    undone = await either.undo(operation=preview.operations[0].id, reason="it was right")
    assert undone.memories == 1 and (await either.memory(added.id)).status == "active"

    # The store.
    managed = await either.manage("support", dry_run=True)
    assert managed.dry_run and managed.policy == "support" and managed.events
    assert await either.archive(older_than_days=365) is not None
    assert (await either.restore(said.id)).content == shown.content
    assert (await either.status()).embedding["serving"] is not None
    exported = await either.all("export")
    brought = await either.import_lines(exported)
    assert brought["not_read"] == []
    (reach,) = await either.forget(matching="quarterly review")
    assert reach.events == 1 and reach.id is None
    assert any("Friday" in event.content for event in await either.events())
    (receipt,) = await either.forget(matching="quarterly review", how="erase", reason="asked by the user")
    assert receipt.id is not None and (receipt.events, receipt.left) == (1, 0)
    assert not any("Friday" in event.content for event in await either.events())
    (hidden,) = await either.forget(events=[said.id], how="hide", reason="t")
    assert hidden.events == 1 and said.id not in [event.id for event in await either.events()]
    await either.forget(events=[said.id], how="unhide", reason="t")
    assert said.id in [event.id for event in await either.events()]

    kinds = (Holdfast, AsyncHoldfast)
    public = {name for kind in kinds for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")}
    assert public - either.called == {"close", "local"}, "walked by other tests, or forgotten here"


def test_both_clients_have_the_same_methods() -> None:
    def methods(kind: type) -> dict[str, list[str]]:
        names = [name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")]
        return {name: list(inspect.signature(getattr(kind, name)).parameters) for name in names}

    assert methods(Holdfast) == methods(AsyncHoldfast)
    assert all(getattr(Holdfast, name).__doc__ for name in methods(Holdfast))


@pytest.mark.parametrize(
    ("said", "asked", "told"),
    [
        ("以后周报都先写结论", "写周报", "先写结论"),
        ("From now on, send every report as PDF.", "write the report", "PDF"),
        ("以后demo都用English写", "准备一个demo", "English"),
    ],
)
async def test_what_is_said_is_in_the_block(either: Either, said: str, asked: str, told: str) -> None:
    await either.observe(said)
    assert told in (await either.scoped(session="later").context(asked)).text


async def test_secrets_are_nowhere(either: Either) -> None:
    said = await either.observe("密码是 Qz7!mv42Lw，别告诉别人", metadata={"password": "Qz7!mv42Lw"})
    assert [redaction["label"] for redaction in said.redactions] == ["password"]
    assert "Qz7" not in "".join(await either.all("export"))


async def test_the_same_key_is_one_event(either: Either) -> None:
    first = await either.observe("hello", idempotency_key="钥匙-1")
    second = await either.observe("hello", idempotency_key="钥匙-1")
    assert (second.id, second.duplicate) == (first.id, True)
    third = await either.observe("hello")
    assert third.id != first.id, "without a key of the caller's, the same words are another event"


async def test_many_lines_with_odd_signs_come_back_in_order(either: Either) -> None:
    # More than one request takes, and signs that Python takes for the end of a line.
    texts = [f"line {number} \u2028 第\u0085行 \x0b" for number in range(450)]
    answers = await either.observe_many({"content": text, "source": "system"} for text in texts)
    assert all(isinstance(answer, Observed) for answer in answers)
    assert [answer.seq for answer in answers] == sorted(answer.seq for answer in answers)
    listed = (await either.events(limit=1000)).items
    assert [event.content for event in listed] == texts
    exported = await either.all("export")
    assert sum('"line":"event"' in line for line in exported) == len(texts)


async def test_scopes_are_apart(either: Either, user: str) -> None:
    mine = await either.observe("我妹妹对坚果过敏")
    other = either.scoped(user=f"{user}-other")
    assert (await other.events()).items == []
    with pytest.raises(HoldfastError, match="no_such_event"):
        await other.event(mine.id)
    assert (await either.scoped(session=None).events()).items[0].id == mine.id


async def test_times_need_their_offset(either: Either) -> None:
    with pytest.raises(ValueError, match="offset"):
        await either.observe("x", occurred_at=datetime(2026, 3, 2))
    zone = timezone(timedelta(hours=8))
    said = await either.observe("周会改到下周三", occurred_at=datetime(2026, 3, 2, 9, tzinfo=zone))
    assert moment((await either.event(said.id)).occurred_at) == datetime(2026, 3, 2, 1, tzinfo=timezone.utc)


async def test_ids_with_every_sign_are_opaque(either: Either) -> None:
    for name in ("a/b", "a%2Fb", "任务?x=1", "a b", "..", "*"):
        on = either.scoped(task=name)
        assert (await on.start_task(f"task {name}")).id == name
        assert (await on.task()).id == name
    assert len((await either.tasks()).items) == 6


async def test_unknown_fields_are_kept(either: Either) -> None:
    said = await either.observe("hello there")
    event = await either.event(said.id)
    assert event["signals"]["language"] == "en", "it is no field of Event, and there all the same"
