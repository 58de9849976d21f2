import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { OpenAiCredential } from '../../src/byok/kinds/openai.js';
import type { UpstreamCall } from '../../src/inference/ports/adapter.js';
import { UpstreamFailure } from '../../src/inference/ports/failure.js';
import { asGiven, type Codec, type HttpProvider, type Outgoing } from '../../src/providers/http/codec.js';
import { createAdapter } from '../../src/providers/http/exchange.js';
import type { HttpResponse } from '../../src/providers/http/http.js';
import { HttpBody } from '../../src/providers/http/http-body.js';
import { ANY_HOST } from '../../src/providers/openai/chat/answer-rules.js';
import { chatCodec } from '../../src/providers/openai/chat/codec.js';
import { callTo } from './openai/adapter.fixture.js';

const CHAT = callTo('http://127.0.0.1:9', 'm');
const MESSAGES: UpstreamCall<OpenAiCredential> = { ...CHAT, format: 'messages', body: { max_tokens: 1 } };
const REQUEST: Outgoing = { url: new URL('http://127.0.0.1:9/chat'), headers: {}, body: {} };
const clock = { now: () => 0 };

/** A response that has come whole. */
function response(status: number, text: string): HttpResponse {
  const body = new HttpBody({ abort: () => undefined, pause: () => undefined, resume: () => undefined });
  body.push(Buffer.from(text));
  body.end();
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** An adapter whose host answers so, and what it was sent. */
function adapterOf(
  answer: () => HttpResponse,
  formats: Partial<HttpProvider<OpenAiCredential>['formats']> = {},
) {
  const sent: string[] = [];
  const send: HttpProvider<OpenAiCredential>['send'] = async ({ url, headers }) => {
    sent.push(`${headers.accept} ${url.pathname}`);
    return answer();
  };
  const chat = chatCodec<OpenAiCredential>({
    fit: asGiven,
    request: () => REQUEST,
    answerRulesOf: () => ANY_HOST,
  });
  return {
    sent,
    adapter: createAdapter(
      {
        send,
        formats: {
          chat,
          messages: null,
          responses: null,
          completions: null,
          embeddings: null,
          rerank: null,
          ...formats,
        },
      },
      clock,
    ),
  };
}

const ANSWER = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });

describe('one exchange, the same for every provider', () => {
  it('a call of a format that the provider has no codec for is made in no other', async () => {
    const { adapter, sent } = adapterOf(() => response(200, ANSWER));
    await expect(adapter.complete(MESSAGES)).rejects.toThrow('no call of the format messages');
    expect(() => adapter.stream(MESSAGES)).toThrow('no call of the format messages');
    expect(sent).toEqual([]);
  });

  it('an answer in one piece is read with its format, and made into events where a stream was asked for', async () => {
    const { adapter, sent } = adapterOf(() => response(200, ANSWER));
    expect(await adapter.complete(CHAT)).toMatchObject({
      format: 'chat',
      choices: [{ message: { content: 'Hi' } }],
    });
    const events = await Readable.from(adapter.stream(CHAT)).toArray();
    expect(events.map(({ type }) => type)).toEqual(['delta', 'finish', 'usage']);
    expect(sent).toEqual(['application/json /chat', 'text/event-stream /chat']);
  });

  it('a refusal is read as far as an error reaches, and told by the codec', async () => {
    const seen: [number, boolean][] = [];
    const refusing: Codec<OpenAiCredential, 'chat'> = {
      ...chatCodec<OpenAiCredential>({ fit: asGiven, request: () => REQUEST, answerRulesOf: () => ANY_HOST }),
      failure: ({ text }, { isCut }) => {
        seen.push([text.length, isCut]);
        return new UpstreamFailure('no', { kind: 'invalid_request', status: 400 });
      },
    };
    const short = adapterOf(() => response(400, 'x'), { chat: refusing });
    await expect(short.adapter.complete(CHAT)).rejects.toMatchObject({ message: 'no', status: 400 });
    const long = adapterOf(() => response(400, 'x'.repeat(9_000)), { chat: refusing });
    await expect(long.adapter.complete(CHAT)).rejects.toMatchObject({ message: 'no' });
    expect(seen).toEqual([
      [1, false],
      [8_192, true],
    ]);
  });

  it('tokens are counted where the codec counts them', async () => {
    const counting: Codec<OpenAiCredential, 'chat'> = {
      ...chatCodec<OpenAiCredential>({ fit: asGiven, request: () => REQUEST, answerRulesOf: () => ANY_HOST }),
      counter: { request: () => REQUEST, read: Number },
    };
    expect(await adapterOf(() => response(200, '7')).adapter.countTokens?.(CHAT)).toBeUndefined();
    expect(await adapterOf(() => response(200, '7'), { chat: counting }).adapter.countTokens?.(CHAT)).toBe(7);
    const refused = adapterOf(() => response(500, 'down'), { chat: counting }).adapter.countTokens?.(CHAT);
    await expect(refused).rejects.toMatchObject({ message: 'down', status: 500 });
  });
});
