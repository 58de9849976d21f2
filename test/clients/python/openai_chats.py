"""Chats through OpenAI's SDK: in one piece, streamed, with tools, parsed, and asynchronously."""

import json

import openai
from pydantic import BaseModel

from cases import HELLO, IN_SCHEMA, Answer, play

# The key and the URL from OPENAI_API_KEY and OPENAI_BASE_URL.
client = openai.OpenAI(max_retries=0)
QUESTION = [{"role": "user", "content": HELLO}]


class Weather(BaseModel):
    """The weather of a city."""

    city: str


TOOLS = [openai.pydantic_function_tool(Weather, name="weather")]


def shown(completion):
    assert completion.object == "chat.completion" and completion.id.startswith("gen-"), completion
    assert completion.usage.prompt_tokens > 0 and completion.usage.completion_tokens > 0, completion.usage
    [choice] = completion.choices
    calls = choice.message.tool_calls or []
    return {
        "text": choice.message.content or "",
        "finish_reason": choice.finish_reason,
        "model": completion.model,
        "calls": [[call.function.name, json.loads(call.function.arguments)] for call in calls],
    }


def ask(model, messages=QUESTION, **more):
    return client.chat.completions.create(model=model, messages=messages, **more)


def chunks(model):
    """What the pieces of a stream say, and that the last of them counts."""
    pieces = list(ask(model, stream=True, stream_options={"include_usage": True}))
    assert all(piece.object == "chat.completion.chunk" for piece in pieces), pieces
    assert [piece for piece in pieces if piece.usage] == pieces[-1:] and not pieces[-1].choices, pieces
    return "".join(piece.choices[0].delta.content or "" for piece in pieces[:-1])


def stream(model, messages=QUESTION, **more):
    more = {"stream_options": {"include_usage": True}, **more}
    with client.chat.completions.stream(model=model, messages=messages, **more) as events:
        heard = list(events)
        final = events.get_final_completion()
    text = "".join(event.delta for event in heard if event.type == "content.delta")
    assert text == (final.choices[0].message.content or ""), (text, final)
    parsed = [
        event.parsed_arguments.city
        for event in heard
        if event.type == "tool_calls.function.arguments.done"
    ]
    assert parsed == [call.function.parsed_arguments.city for call in final.choices[0].message.tool_calls or []]
    return final


def round_trip(send):
    def both(model):
        called = send(model, tools=TOOLS)
        message = called.choices[0].message
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": "Rain"} for call in message.tool_calls or []
        ]
        return [shown(called), shown(send(model, [*QUESTION, message, *results], tools=TOOLS))]

    return both


def in_schema(send):
    def parsed(model):
        completion = send(model, [{"role": "user", "content": IN_SCHEMA}], response_format=Answer)
        return completion.choices[0].message.parsed.answer

    return parsed


def parse(model, messages, **more):
    return client.chat.completions.parse(model=model, messages=messages, **more)


async def asynchronous(model):
    async with openai.AsyncOpenAI(max_retries=0) as other:
        question = {"model": model, "messages": QUESTION}
        whole = shown(await other.chat.completions.create(**question))
        async with other.chat.completions.stream(**question) as events:
            async for _ in events:
                pass
            return [whole, shown(await events.get_final_completion())]


play(
    {
        "whole": lambda model: shown(ask(model)),
        "chunks": chunks,
        "streamed": lambda model: shown(stream(model)),
        "tools": round_trip(ask),
        "streamed tools": round_trip(stream),
        "parsed": in_schema(parse),
        "streamed and parsed": in_schema(stream),
        "asynchronous": asynchronous,
        "retrieved": lambda model: client.models.retrieve(model).id,
    }
)
