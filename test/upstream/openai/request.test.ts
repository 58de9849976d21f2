import { describe, expect, it } from 'vitest';
import type { ChatBody } from '../../../src/chat/dialect.js';
import { chatUrl, requestBody } from '../../../src/upstream/openai/request.js';
import { FAKE_API_KEY } from '../../support/fake-openai.js';
import { openAiProvider, startTable } from './table.js';

const BODY: ChatBody = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };

describe('where chats go (interface section 7: base_url is the API root)', () => {
  it.each([
    [null, null, 'https://api.openai.com/v1/chat/completions'],
    ['https://api.deepseek.com', null, 'https://api.deepseek.com/chat/completions'],
    ['https://api.groq.com/openai/v1/', null, 'https://api.groq.com/openai/v1/chat/completions'],
    ['http://127.0.0.1:8000/v1//', null, 'http://127.0.0.1:8000/v1/chat/completions'],
    ['https://host/v1?api-version=2#top', null, 'https://host/v1/chat/completions?api-version=2'],
    ['https://user:secret@host/v1', null, 'https://host/v1/chat/completions'],
    ['https://host/a%2Fb/../v1', null, 'https://host/v1/chat/completions'],
    [
      'https://bedrock-runtime.{region}.amazonaws.com/openai/v1',
      'eu-central-1',
      'https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1/chat/completions',
    ],
  ])('%s in %s: %s', (baseUrl, region, url) => {
    expect(chatUrl(openAiProvider(baseUrl), region).href).toBe(url);
  });

  it.each(['https://{region}.host/v1', 'https://{resource}.host/v1'])(
    'nowhere while %s has no value for its placeholder',
    (baseUrl) => {
      expect(() => chatUrl(openAiProvider(baseUrl), null)).toThrow('placeholder');
    },
  );
});

describe('what is sent (interface section 4: unknown members pass through, the gateway’s own do not)', () => {
  it('leaves out what only the gateway reads', () => {
    const body = { ...BODY, provider: { only: ['a'] }, models: ['x'], include_reasoning: true, stream: true };
    expect(requestBody(body, 'host', false)).toEqual(BODY);
  });

  it('passes everything else on as it is', () => {
    const more = { max_tokens: 3, max_completion_tokens: 4, top_k: 5, seed: 1, anything: { at: ['all'] } };
    expect(requestBody({ ...BODY, ...more }, 'host', false)).toEqual({ ...BODY, ...more });
  });

  it.each([
    [{ effort: 'high' }, 'high'],
    [{ effort: 'high', max_tokens: 100, exclude: true }, 'high'],
    [{ enabled: false }, 'none'],
    [{ enabled: false, effort: 'high' }, 'none'],
    [{ enabled: true }, undefined],
    [{ max_tokens: 100 }, undefined],
    [{ effort: null }, undefined],
  ])('says reasoning %j as reasoning_effort %s', (reasoning, effort) => {
    const sent = requestBody({ ...BODY, reasoning }, 'host', false);
    expect(sent).toEqual(effort === undefined ? BODY : { ...BODY, reasoning_effort: effort });
  });

  it('lets an explicit reasoning_effort stand', () => {
    const sent = requestBody(
      { ...BODY, reasoning: { effort: 'low' }, reasoning_effort: 'high' },
      'host',
      false,
    );
    expect(sent).toEqual({ ...BODY, reasoning_effort: 'high' });
  });

  it.each([
    ['host', undefined, { include_usage: true }],
    ['host', { include_usage: false, include_obfuscation: true }, { include_usage: true }],
    ['host', { continuous_usage_stats: true }, { include_usage: true, continuous_usage_stats: true }],
    ['api.openai.com', undefined, { include_usage: true, include_obfuscation: false }],
    ['api.openai.com', { include_obfuscation: true }, { include_usage: true, include_obfuscation: false }],
    ['api.mistral.ai', { include_usage: true }, undefined],
  ])('a stream from %s with options %j is asked for with %j', (host, stream_options, sent) => {
    const body = stream_options === undefined ? BODY : { ...BODY, stream_options };
    const expected = { ...BODY, stream: true, ...(sent && { stream_options: sent }) };
    expect(requestBody(body, host, true)).toEqual(expected);
  });

  it('speaks to Mistral in its own names', () => {
    const body = { ...BODY, max_completion_tokens: 3, seed: 4 };
    expect(requestBody(body, 'api.mistral.ai', false)).toEqual({ ...BODY, max_tokens: 3, random_seed: 4 });
    const both = { ...BODY, max_completion_tokens: 3, max_tokens: 2 };
    expect(requestBody(both, 'api.mistral.ai', false)).toEqual({ ...BODY, max_tokens: 2 });
  });
});

describe('the headers of a request', () => {
  it.each([
    ['in one piece', 'application/json'],
    ['streamed', 'text/event-stream'],
  ])('are these and no others, %s', async (way, accept) => {
    const { fake, complete, stream } = await startTable();
    await (way === 'streamed' ? stream() : complete());
    const [request] = fake.requests;
    const { host, connection, 'content-length': length, ...headers } = request?.headers ?? {};
    expect(headers).toEqual({
      authorization: `Bearer ${FAKE_API_KEY}`,
      accept,
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'byway',
    });
    expect(fake.baseUrl).toContain(String(host));
    expect(connection).toBe('keep-alive');
    expect(length).toBe(String(Buffer.byteLength(request?.text ?? '')));
  });
});
