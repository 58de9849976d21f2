"""Agents of pydantic-ai over each of its models that speak an API of the gateway."""

import anthropic
import openai
from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from cases import HELLO, IN_SCHEMA, Answer, play

# The key and the URL from OPENAI_API_KEY and OPENAI_BASE_URL, and from ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL.
OPENAI = OpenAIProvider(openai_client=openai.AsyncOpenAI(max_retries=0))
ANTHROPIC = AnthropicProvider(anthropic_client=anthropic.AsyncAnthropic(max_retries=0))


def chat(model):
    return OpenAIChatModel(model, provider=OPENAI)


def responses(model):
    return OpenAIResponsesModel(model, provider=OPENAI)


def messages(model):
    # What a model can it knows by names without an author.
    return AnthropicModel(model, provider=ANTHROPIC, profile={"supports_json_schema_output": True})


MODELS = {"chat": chat, "responses": responses, "messages": messages}


async def tools(model):
    """Calls a tool and says what came of it, whole and streamed."""
    cities = []
    agent = Agent(model, instructions="Be brief.")

    @agent.tool_plain
    def weather(city: str) -> str:
        """The weather of a city."""
        cities.append(city)
        return "Rain"

    whole = await agent.run(HELLO)
    async with agent.run_stream(HELLO) as streamed:
        text = "".join([piece async for piece in streamed.stream_text(delta=True)])
        usage = streamed.usage
    assert whole.usage.requests == usage.requests == 2 and usage.output_tokens > 0, (whole.usage, usage)
    return [whole.output, text, cities]


def in_schema(form):
    async def asked(model):
        agent = Agent(model, output_type=form(Answer))
        whole = await agent.run(IN_SCHEMA)
        async with agent.run_stream(IN_SCHEMA) as streamed:
            return [whole.output.answer, (await streamed.get_output()).answer]

    return asked


async def tool_then_schema(model):
    """Calls a tool, and answers in a schema by another call."""
    agent = Agent(model, output_type=ToolOutput(Answer))

    @agent.tool_plain
    def weather(city: str) -> str:
        """The weather of a city."""
        return "Rain"

    return (await agent.run(IN_SCHEMA)).output.answer


CASES = {
    "tools": tools,
    "in a schema, by a call": in_schema(ToolOutput),
    "in a schema": in_schema(NativeOutput),
    "in a schema, by the prompt": in_schema(PromptedOutput),
    "a tool and a schema": tool_then_schema,
}


def case_of(api, case):
    return lambda model: case(MODELS[api](model))


play({f"{api}, {name}": case_of(api, case) for api in MODELS for name, case in CASES.items()})
