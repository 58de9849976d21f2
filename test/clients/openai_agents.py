"""Runs an agent of OpenAI's Agents SDK over a gateway, by the Responses API. Prints what it said, whole and streamed."""

import asyncio
import json
import os

from agents import Agent, ModelSettings, OpenAIResponsesModel, RunConfig, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
asked = []


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    asked.append(city)
    return "Rain"


async def main():
    # The key and the URL from OPENAI_API_KEY and OPENAI_BASE_URL.
    model = OpenAIResponsesModel(model=os.environ["MODEL"], openai_client=AsyncOpenAI(max_retries=0))
    agent = Agent(
        name="Weather",
        instructions="Be brief.",
        model=model,
        model_settings=ModelSettings(store=False),
        tools=[weather],
    )
    config = RunConfig(tracing_disabled=True)
    whole = await Runner.run(agent, "Hello there", run_config=config)
    streamed = Runner.run_streamed(agent, "Hello there", run_config=config)
    async for _ in streamed.stream_events():
        pass
    print(json.dumps({"whole": whole.final_output, "streamed": streamed.final_output, "asked": asked}))


asyncio.run(main())
