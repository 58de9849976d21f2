"""Chats and structured outputs through LangChain's models of OpenAI, as they are by default."""

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from cases import HELLO, IN_SCHEMA, Answer, play


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    return "Rain"


def chat(model, **more):
    # The key and the URL from OPENAI_API_KEY and OPENAI_BASE_URL.
    return ChatOpenAI(model=model, max_retries=0, **more)


def shown(message):
    assert message.usage_metadata["input_tokens"] > 0 and message.usage_metadata["output_tokens"] > 0, message
    return {"text": message.text, "calls": [[call["name"], call["args"]] for call in message.tool_calls]}


def streamed(chat, messages):
    pieces = list(chat.stream(messages))
    whole = pieces[0]
    for piece in pieces[1:]:
        whole += piece
    return whole


def whole(chat, messages):
    return chat.invoke(messages)


def round_trip(send, **more):
    def both(model):
        bound = chat(model, **more).bind_tools([weather])
        question = HumanMessage(HELLO)
        called = send(bound, [question])
        results = [ToolMessage("Rain", tool_call_id=call["id"]) for call in called.tool_calls]
        return [shown(called), shown(send(bound, [question, called, *results]))]

    return both


def in_schema(question=IN_SCHEMA, **more):
    return lambda model: chat(model).with_structured_output(Answer, **more).invoke(question).answer


async def asynchronous(model):
    whole = shown(await chat(model).ainvoke(HELLO))
    text = "".join([piece.text async for piece in chat(model).astream(HELLO)])
    return [whole, text]


RESPONSES = {"use_responses_api": True, "store": False}

play(
    {
        "whole": lambda model: shown(chat(model).invoke(HELLO)),
        "streamed": lambda model: shown(streamed(chat(model), HELLO)),
        "tools": round_trip(whole),
        "streamed tools": round_trip(streamed),
        "in a schema": in_schema(),
        "in a schema, by a call": in_schema(method="function_calling"),
        "in JSON": in_schema(f'{IN_SCHEMA}: JSON with the key "answer"', method="json_mode"),
        "asynchronous": asynchronous,
        "tools by responses": round_trip(whole, **RESPONSES),
        "streamed tools by responses": round_trip(streamed, **RESPONSES),
    }
)
