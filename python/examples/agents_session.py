"""OpenAI Agents SDK: the conversation in a Holdfast session, and the block before each call. The model is scripted: no network."""

import asyncio
import tempfile

from agents import Agent, ModelResponse, RunConfig, Runner, Usage
from agents.models.interface import Model
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from holdfast import AsyncHoldfast
from holdfast.agents import HoldfastSession, context_filter


class Scripted(Model):
    """Answers by what it reads."""

    async def get_response(self, system_instructions, input, *args, **kwargs):
        text = "好的，先写结论。" if "<holdfast-context>" in str(input) and "先写结论" in str(input) else "记住了。"
        part = ResponseOutputText(type="output_text", text=text, annotations=[])
        message = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[part])
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError


async def main() -> None:
    agent = Agent(name="assistant", model=Scripted())
    with tempfile.TemporaryDirectory() as directory:
        async with await AsyncHoldfast.local(directory, user="lin") as client:
            for day, said in [("mon", "以后周报都先写结论"), ("fri", "写这周的周报")]:
                today = client.scoped(session=day)
                config = RunConfig(call_model_input_filter=context_filter(today), tracing_disabled=True)
                done = await Runner.run(agent, said, session=HoldfastSession(day, today), run_config=config)
                print(f"{day}: {done.final_output}")
            print(await HoldfastSession("fri", client).get_items())


asyncio.run(main())
