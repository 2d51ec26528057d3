"""An agent's loop with memory, without any framework: what is said is recorded, the block goes into the prompt, and what was done is
written back. The "model" here is a function; put your own in its place."""

import tempfile

from holdfast import Holdfast


def model(prompt: str) -> str:
    """A model that does what it reads."""
    return "结论：退货率 2.8%，低于上月。" if "先写结论" in prompt else "退货率 2.8%。"


with tempfile.TemporaryDirectory() as directory, Holdfast.local(directory, user="lin") as memory:
    monday = memory.scoped(session="mon")
    monday.observe("以后周报都先写结论，再列数据。")

    # Days later, in another session: nobody says it again.
    friday = memory.scoped(session="fri", task="report")
    friday.start_task("第47周周报", constraints=["不超过一页"])
    friday.update([{"action": "plan", "steps": ["取数", "成文"]}, {"action": "next_step"}])

    request = "写这周的周报"
    friday.observe(request)
    block = friday.context(request, budget_tokens=800)
    reply = model(f"{block.text}\n{request}")
    friday.observe(reply, source="agent")
    friday.update([{"action": "complete_step", "result": "退货率 2.8%"}, {"action": "next_step"}])
    print(block.text)
    print(reply)
    print(friday.task().frame["steps"])
