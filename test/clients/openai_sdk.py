"""Asks a gateway through OpenAI's SDK, by the Responses API. Prints what came of each question as JSON."""

import asyncio
import base64
import json
import os
import struct
import zlib

import openai
from pydantic import BaseModel

MODEL = os.environ["MODEL"]
IN_SCHEMA = os.environ["IN_SCHEMA"]
THINKING = os.environ["THINKING"]
HELLO = [{"role": "user", "content": "Hello there"}]
WEATHER = {
    "type": "function",
    "name": "weather",
    "description": "The weather of a city",
    "strict": False,
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}

# The key and the URL from OPENAI_API_KEY and OPENAI_BASE_URL.
client = openai.OpenAI(max_retries=0)


def ask(**more):
    return client.responses.create(**{"model": MODEL, "input": HELLO, **more})


def stream(**more):
    with client.responses.stream(**{"model": MODEL, "input": HELLO, **more}) as events:
        text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
        final = events.get_final_response()
    assert text == final.output_text, (text, final)
    return final


def shown(response):
    assert response.object == "response" and response.id.startswith("resp_"), response
    assert response.usage.input_tokens > 0 and response.usage.output_tokens > 0, response.usage
    return {
        "text": response.output_text,
        "status": response.status,
        "model": response.model,
        "calls": [
            [item.name, json.loads(item.arguments)]
            for item in response.output
            if item.type == "function_call"
        ],
    }


def sent_back(response):
    return [item.model_dump(exclude_none=True) for item in response.output]


def results_of(response):
    return [
        {"type": "function_call_output", "call_id": item.call_id, "output": "Rain"}
        for item in response.output
        if item.type == "function_call"
    ]


def tools(send):
    called = send(tools=[WEATHER])
    history = [*HELLO, *sent_back(called), *results_of(called)]
    return [shown(called), shown(send(input=history, tools=[WEATHER]))]


def png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\0\0")
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(data).decode()


def show(part):
    parts = [{"type": "input_text", "text": "What is it?"}, part]
    return shown(ask(input=[{"role": "user", "content": parts}]))


def pdf():
    return "data:application/pdf;base64," + base64.b64encode(b"%PDF-1.4\n%%EOF\n").decode()


class Answer(BaseModel):
    answer: str


def parsed():
    return client.responses.parse(model=MODEL, input=IN_SCHEMA, text_format=Answer).output_parsed.answer


def thinking():
    """Thinks, calls tools, and is sent its thoughts back: three turns."""
    history = [{"role": "user", "content": THINKING}]
    heard = []
    for send in (ask, stream, ask):
        response = send(
            input=history,
            tools=[WEATHER],
            store=False,
            reasoning={"effort": "low", "summary": "auto"},
            include=["reasoning.encrypted_content"],
        )
        thoughts = [
            part.text
            for item in response.output
            if item.type == "reasoning"
            for part in [*item.summary, *(item.content or [])]
        ]
        heard.append([shown(response), "".join(thoughts)])
        results = results_of(response)
        history += sent_back(response) + (results or [{"role": "user", "content": "Go on"}])
    return heard


async def asynchronous():
    async with openai.AsyncOpenAI(max_retries=0) as other:
        return shown(await other.responses.create(model=MODEL, input="Hello there"))


def error(**more):
    try:
        ask(**more)
    except openai.APIStatusError as failed:
        return [type(failed).__name__, failed.status_code, failed.code, failed.param]
    return None


def stranger():
    try:
        openai.OpenAI(api_key="bw-v1-nobody", max_retries=0).responses.create(model=MODEL, input="Hi")
    except openai.APIStatusError as failed:
        return [type(failed).__name__, failed.status_code]
    return None


print(
    json.dumps(
        {
            "whole": shown(ask()),
            "streamed": shown(stream()),
            "tools": {"whole": tools(ask), "streamed": tools(stream)},
            "image": show({"type": "input_image", "image_url": png(), "detail": "auto"}),
            "file": show({"type": "input_file", "filename": "a.pdf", "file_data": pdf()}),
            "async": asyncio.run(asynchronous()),
            "parsed": parsed(),
            "thinking": thinking(),
            "errors": {
                "model": error(model="nobody/nothing"),
                "stored": error(store=True),
                "earlier": error(previous_response_id="resp_1"),
                "key": stranger(),
            },
        }
    )
)
