"""Structured outputs through instructor, in each of its modes for OpenAI's API and for Anthropic's."""

import anthropic
import instructor
import openai

from cases import IN_SCHEMA, Answer, play

ASKED = [{"role": "user", "content": IN_SCHEMA}]

# The key and the URL from OPENAI_API_KEY and OPENAI_BASE_URL, and from ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL.
CHATS = openai.OpenAI(max_retries=0)
MESSAGES = anthropic.Anthropic(max_retries=0)

BY_CHATS = ["TOOLS", "TOOLS_STRICT", "JSON", "MD_JSON", "JSON_SCHEMA", "RESPONSES_TOOLS"]
BY_MESSAGES = ["ANTHROPIC_TOOLS", "ANTHROPIC_JSON"]


def client_in(mode):
    if mode in BY_MESSAGES:
        return instructor.from_anthropic(MESSAGES, mode=instructor.Mode[mode]), {"max_tokens": 1024}
    return instructor.from_openai(CHATS, mode=instructor.Mode[mode]), {}


def whole(mode):
    def asked(model):
        client, more = client_in(mode)
        answer = client.create(model=model, response_model=Answer, messages=ASKED, max_retries=0, **more)
        return answer.answer

    return asked


def partial(mode):
    def asked(model):
        client, more = client_in(mode)
        pieces = list(client.create_partial(model=model, response_model=Answer, messages=ASKED, **more))
        return pieces[-1].answer

    return asked


play(
    {
        **{mode: whole(mode) for mode in [*BY_CHATS, *BY_MESSAGES]},
        **{f"{mode}, streamed": partial(mode) for mode in [*BY_CHATS, *BY_MESSAGES]},
    }
)
