"""Plays cases at every model of MODELS, and prints what came of each as JSON: what it returned, or how it failed."""

import asyncio
import inspect
import json
import os

from pydantic import BaseModel

HELLO = "Hello there"
IN_SCHEMA = os.environ.get("IN_SCHEMA", "")


class Answer(BaseModel):
    """What is asked for in a schema."""

    answer: str


def play(cases):
    models = json.loads(os.environ["MODELS"])
    # One loop for all, since some clients keep their connections for the next case.
    with asyncio.Runner() as loop:
        heard = {model: {name: _outcome(case, model, loop) for name, case in cases.items()} for model in models}
    print(json.dumps(heard))


def _outcome(case, model, loop):
    try:
        result = case(model)
        return loop.run(result) if inspect.iscoroutine(result) else result
    except Exception as failed:  # Each is told beside the model and the case.
        return f"{type(failed).__name__}: {failed}"
