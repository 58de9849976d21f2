"""Asks a gateway through Anthropic's SDK. Prints what came of each question as JSON; asserts what holds for any model."""

import base64
import json
import os
import struct
import zlib

import anthropic

MODEL = os.environ["MODEL"]
THINKS = os.environ["THINKS"] == "1"
QUESTION = [{"role": "user", "content": "Hello there"}]
WEATHER = {
    "name": "weather",
    "description": "The weather of a city",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}

# The key as x-api-key, from ANTHROPIC_API_KEY; the URL from ANTHROPIC_BASE_URL.
client = anthropic.Anthropic(max_retries=0)


def ask(**more):
    return client.messages.create(**{"model": MODEL, "max_tokens": 2048, "messages": QUESTION, **more})


def stream(**more):
    with client.messages.stream(
        **{"model": MODEL, "max_tokens": 2048, "messages": QUESTION, **more}
    ) as events:
        text = "".join(events.text_stream)
        final = events.get_final_message()
    assert text == text_of(final), (text, final)
    return final


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def shown(message):
    assert message.type == "message" and message.role == "assistant", message
    assert message.id.startswith("msg_"), message.id
    assert message.usage.input_tokens > 0 and message.usage.output_tokens > 0, message.usage
    return {
        "text": text_of(message),
        "stop_reason": message.stop_reason,
        "model": message.model,
        "tools": [[block.name, block.input] for block in message.content if block.type == "tool_use"],
        "thoughts": [block.thinking for block in message.content if block.type == "thinking"],
    }


def round_trip(send, **more):
    """Calls the tool, then answers its result with all that the message had, its thoughts included."""
    called = send(tools=[WEATHER], **more)
    call = next(block for block in called.content if block.type == "tool_use")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": [{"type": "text", "text": "Rain"}]}
    messages = [
        *QUESTION,
        {"role": "assistant", "content": called.content},
        {"role": "user", "content": [result]},
    ]
    return [shown(called), shown(send(tools=[WEATHER], messages=messages, **more))]


def png():
    """A single pixel."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixel = chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + header + pixel + chunk(b"IEND", b"")).decode()


def image():
    source = {"type": "base64", "media_type": "image/png", "data": png()}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "What is it?"}]
    return shown(ask(messages=[{"role": "user", "content": content}]))


def thinking():
    budget = {"type": "enabled", "budget_tokens": 1024}
    return {"whole": round_trip(ask, thinking=budget), "streamed": round_trip(stream, thinking=budget)}


def schema():
    config = {"format": {"type": "json_schema", "schema": SCHEMA}}
    return shown(ask(output_config=config))


def refused(work):
    try:
        work()
    except anthropic.APIStatusError as error:
        body = error.body
        assert body["type"] == "error" and body["request_id"] == error.request_id, (body, error.request_id)
        return [type(error).__name__, error.status_code, body["error"]["type"]]
    raise AssertionError("was not refused")


def errors():
    stranger = anthropic.Anthropic(api_key="bw-v1-" + "0" * 64, max_retries=0)
    question = {"model": MODEL, "max_tokens": 10, "messages": QUESTION}
    return {
        "model": refused(lambda: ask(model="nobody/nothing")),
        "streamed": refused(lambda: stream(model="nobody/nothing")),
        "shape": refused(lambda: ask(messages="Hello")),
        "key": refused(lambda: stranger.messages.create(**question)),
    }


def models():
    listed = [model.id for model in client.models.list(limit=2)]
    one = client.models.retrieve(MODEL)
    return {"isListed": MODEL in listed, "isUnique": len(listed) == len(set(listed)), "one": one.id}


def count():
    return client.messages.count_tokens(model=MODEL, messages=QUESTION, tools=[WEATHER]).input_tokens


print(
    json.dumps(
        {
            "whole": shown(ask()),
            "streamed": shown(stream()),
            "tools": {"whole": round_trip(ask), "streamed": round_trip(stream)},
            "image": image(),
            "thinking": thinking() if THINKS else None,
            "schema": schema(),
            "errors": errors(),
            "models": models(),
            "count": count(),
        }
    )
)
