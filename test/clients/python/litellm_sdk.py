"""Chats through LiteLLM's SDK: as OpenAI's API by both ways that it names a provider, and as Anthropic's Messages."""

import json
import os

import litellm

from cases import HELLO, IN_SCHEMA, Answer, play

litellm.telemetry = False
litellm.suppress_debug_info = True
QUESTION = [{"role": "user", "content": HELLO}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def openai(model):
    return {"model": f"openai/{model}", "api_base": os.environ["OPENAI_BASE_URL"]}


def custom(model):
    """The name of the provider goes from the beginning of the model's, so that the author `openai` has to be there twice."""
    model = f"openai/{model}" if model.startswith("openai/") else model
    return {"model": model, "custom_llm_provider": "openai", "api_base": os.environ["OPENAI_BASE_URL"]}


def anthropic(model):
    return {"model": f"anthropic/{model}", "api_base": os.environ["ANTHROPIC_BASE_URL"]}


def request(named, messages=QUESTION, **more):
    return {**named, "messages": messages, "api_key": os.environ["API_KEY"], "num_retries": 0, **more}


def shown(completion):
    assert completion.usage.prompt_tokens > 0 and completion.usage.completion_tokens > 0, completion.usage
    [choice] = completion.choices
    calls = choice.message.tool_calls or []
    return {
        "text": choice.message.content or "",
        "finish_reason": choice.finish_reason,
        "calls": [[call.function.name, json.loads(call.function.arguments)] for call in calls],
    }


def whole(named, messages=QUESTION, **more):
    return litellm.completion(**request(named, messages, **more))


def streamed(named, messages=QUESTION, **more):
    more = {"stream_options": {"include_usage": True}, **more}
    pieces = list(litellm.completion(**request(named, messages, stream=True, **more)))
    return litellm.stream_chunk_builder(pieces, messages=messages)


def round_trip(send, named):
    called = send(named, tools=[WEATHER])
    message = called.choices[0].message
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": "Rain"} for call in message.tool_calls or []
    ]
    return [shown(called), shown(send(named, [*QUESTION, message, *results], tools=[WEATHER]))]


def in_schema(named):
    answer = whole(named, [{"role": "user", "content": IN_SCHEMA}], response_format=Answer)
    return Answer.model_validate_json(answer.choices[0].message.content).answer


async def asynchronous(named):
    answer = shown(await litellm.acompletion(**request(named)))
    pieces = await litellm.acompletion(**request(named, stream=True))
    return [answer, "".join([piece.choices[0].delta.content or "" async for piece in pieces])]


def cases_of(name, named):
    return {
        f"{name}, whole": lambda model: shown(whole(named(model))),
        f"{name}, streamed": lambda model: shown(streamed(named(model))),
        f"{name}, tools": lambda model: round_trip(whole, named(model)),
        f"{name}, streamed tools": lambda model: round_trip(streamed, named(model)),
        f"{name}, in a schema": lambda model: in_schema(named(model)),
        f"{name}, asynchronous": lambda model: asynchronous(named(model)),
    }


play({**cases_of("openai/", openai), **cases_of("custom", custom), **cases_of("anthropic/", anthropic)})
