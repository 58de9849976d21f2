"""Embeds texts through OpenAI's SDK, LangChain and LiteLLM's SDK, as they do by default and otherwise."""

import base64
import os
import struct

import litellm
import openai
import tiktoken
from langchain_openai import OpenAIEmbeddings

from cases import play

litellm.suppress_debug_info = True
# LangChain's tokenizer fetches its words; LiteLLM's package has them.
os.environ["TIKTOKEN_CACHE_DIR"] = os.path.join(os.path.dirname(litellm.__file__), "litellm_core_utils", "tokenizers")
TEXTS = ["Grüezi", "mitenand 👋🏽"]

# The key and the URL from OPENAI_API_KEY and OPENAI_BASE_URL.
client = openai.OpenAI(max_retries=0)


def embed(model, **more):
    answer = client.embeddings.create(model=model, **{"input": TEXTS, **more})
    assert answer.object == "list" and answer.model == model and answer.usage.prompt_tokens > 0, answer
    assert [one.index for one in answer.data] == list(range(len(answer.data))), answer
    return [one.embedding for one in answer.data]


def tokens():
    """As LangChain makes them for a model that it does not know."""
    return tiktoken.get_encoding("cl100k_base").encode_batch(TEXTS)


def decoded(text):
    data = base64.b64decode(text, validate=True)
    return list(struct.unpack(f"<{len(data) // 4}f", data))


async def asynchronous(model):
    async with openai.AsyncOpenAI(max_retries=0) as other:
        answer = await other.embeddings.create(model=model, input=TEXTS)
        return [one.embedding for one in answer.data]


def langchain(model, **more):
    return OpenAIEmbeddings(model=model, max_retries=0, **more)


def lite(model, **more):
    answer = litellm.embedding(
        model=f"openai/{model}",
        input=TEXTS,
        api_base=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ["API_KEY"],
        num_retries=0,
        **more,
    )
    return [one["embedding"] for one in answer.data]


def refused(**more):
    def asked(model):
        try:
            embed(**{"model": model, **more})
        except openai.APIStatusError as failed:
            return [type(failed).__name__, failed.status_code, failed.param]
        return None

    return asked


play(
    {
        "by default": embed,
        "as floats": lambda model: embed(model, encoding_format="float"),
        "one text": lambda model: embed(model, input=TEXTS[0]),
        "shortened": lambda model: embed(model, dimensions=2),
        "as base64": lambda model: [decoded(text) for text in embed(model, encoding_format="base64")],
        "asynchronously": asynchronous,
        "tokens": lambda model: embed(model, input=tokens()),
        "tokens of one text": lambda model: embed(model, input=tokens()[0]),
        "tokens, shortened": lambda model: embed(model, input=tokens(), dimensions=2),
        # Tokens, in base64.
        "LangChain, by default": lambda model: langchain(model).embed_documents(TEXTS),
        "LangChain, a question": lambda model: langchain(model).embed_query(TEXTS[0]),
        "LangChain, as texts": lambda model: langchain(model, check_embedding_ctx_length=False).embed_documents(TEXTS),
        "LangChain, shortened": lambda model: langchain(model, dimensions=2).embed_documents(TEXTS),
        "LiteLLM, by default": lite,
        "LiteLLM, as floats": lambda model: lite(model, encoding_format="float"),
        "nothing": refused(input=[]),
        "an empty text": refused(input=""),
        "no dimensions": refused(dimensions=0),
        "another format": refused(encoding_format="hex"),
        "a model of chats": refused(model=os.environ["CHAT_MODEL"]),
        "an unknown model": refused(model="nobody/nothing"),
    }
)
