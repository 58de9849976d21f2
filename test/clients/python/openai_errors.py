"""Fails in every way that OpenAI's SDK has a class for. Prints each error, and how often the SDK asked for an answer."""

import asyncio
import json
import os
import urllib.request

import openai

# The URL from OPENAI_BASE_URL.
KEY = os.environ["API_KEY"]
HELLO = [{"role": "user", "content": "Hello there"}]
ECHO = "demo/echo"


def client(key=KEY, **more):
    return openai.OpenAI(api_key=key, **more)


def ask(model=ECHO, key=KEY, options=None, **more):
    return client(key, **(options or {})).chat.completions.create(model=model, messages=HELLO, **more)


def asked():
    """How many requests for answers there were since it was last called."""
    with urllib.request.urlopen(os.environ["COUNTED_URL"]) as answer:
        return json.load(answer)


def heard(work):
    asked()
    try:
        work()
    except openai.APIError as failed:
        return {**told(failed), "asked": asked()}
    return "did not fail"


def told(failed):
    if not isinstance(failed, openai.APIStatusError):
        return {"class": type(failed).__name__}
    body = failed.body
    assert [str(body["code"]), body.get("type"), body.get("param")] == [failed.code, failed.type, failed.param], body
    assert body["message"] in failed.message and failed.request_id, (failed.message, failed.request_id)
    return {
        "class": type(failed).__name__,
        "status": failed.status_code,
        "code": failed.code,
        "type": failed.type,
        "param": failed.param,
        "reason": body["metadata"]["reason"],
    }


async def asynchronous():
    async with openai.AsyncOpenAI(api_key=KEY) as other:
        await other.chat.completions.create(model="nobody/nothing", messages=HELLO)


def broken():
    for _ in ask("demo/break-after-3", stream=True):
        pass


CASES = {
    "an unknown key": lambda: ask(key="bw-v1-" + "0" * 64),
    "an unknown model": lambda: ask("nobody/nothing"),
    "an unknown model, streamed": lambda: ask("nobody/nothing", stream=True),
    "an unknown model, asynchronously": lambda: asyncio.run(asynchronous()),
    "a member out of range": lambda: ask(temperature=9),
    "an unknown member of provider": lambda: ask(extra_body={"provider": {"onyl": ["demo"]}}),
    "no endpoint": lambda: ask(extra_body={"provider": {"only": ["openai"]}}),
    "a model that is not listed": lambda: client().models.retrieve("nobody/nothing"),
    "a management key": lambda: ask(key=os.environ["MANAGEMENT_KEY"]),
    "a key with a limit": lambda: ask(key=os.environ["LIMITED_KEY"]),
    # The first spends all credits, and more.
    "no money": lambda: [ask("demo/dear"), ask("demo/dear")],
    "a rate limit": lambda: ask("demo/status-429"),
    "a rate limit, without retries": lambda: ask("demo/status-429", options={"max_retries": 0}),
    "a host that fails": lambda: ask("demo/status-500"),
    "a refusal of the host": lambda: ask("demo/status-400"),
    "a filter": lambda: ask("demo/content-filter"),
    "a stream that breaks": broken,
    "a timeout": lambda: ask("demo/stall", options={"timeout": 0.5, "max_retries": 1}),
}

print(json.dumps({name: heard(work) for name, work in CASES.items()}))
