import { describe, expect, it } from 'vitest';
import type { DemoCredential } from '../../src/byok/kinds/demo.js';
import type { ChatBody } from '../../src/formats/chat/types.js';
import { normalizedOf, type UpstreamCall, type UpstreamEvent } from '../../src/inference/ports/adapter.js';
import { demoAdapter } from '../../src/providers/demo/index.js';
import { DEMO, demoEndpoint } from '../support/chat.js';
import { TENANCY } from '../support/tenancy.js';

function callOf(
  script: string,
  body: Partial<ChatBody> = {},
  options: { credential?: string; signal?: AbortSignal } = {},
): UpstreamCall<DemoCredential | null> {
  return {
    endpoint: demoEndpoint(script),
    provider: DEMO,
    region: null,
    credential: options.credential === undefined ? null : { adapter: 'demo', apiKey: options.credential },
    format: 'chat',
    body: { messages: [{ role: 'user', content: 'Hello there' }], ...body },
    signal: options.signal ?? new AbortController().signal,
    reasoning: null,
    onFirstByte: () => undefined,
    tenancy: TENANCY,
  };
}

const complete = async (...args: Parameters<typeof callOf>) =>
  normalizedOf(await demoAdapter.complete(callOf(...args)));

async function eventsOf(...args: Parameters<typeof callOf>) {
  const events: UpstreamEvent[] = [];
  let thrown: unknown;
  try {
    for await (const event of demoAdapter.stream(callOf(...args))) events.push(event);
  } catch (error) {
    thrown = error;
  }
  return { events, thrown };
}

function textOf(events: readonly UpstreamEvent[], member: 'content' | 'reasoning' = 'content'): string {
  return events.map((event) => (event.type === 'delta' ? (event.delta[member] ?? '') : '')).join('');
}

describe('answers of the demo provider', () => {
  it('quotes the last message of the user, the same every time, streamed as in one piece', async () => {
    const whole = await complete('echo');
    const { events } = await eventsOf('echo');
    expect(whole.choices[0]?.message.content).toContain('Hello there');
    expect(textOf(events)).toBe(whole.choices[0]?.message.content);
    expect(await complete('echo')).toEqual(whole);
    expect(events.at(-1)).toEqual({ type: 'usage', usage: whole.usage });
    expect(whole.usage).toMatchObject({ promptTokens: 2, cachedTokens: 0, reasoningTokens: 0 });
  });

  it.each(['free', 'some/unknown-model', 'gpt-5'])('plays %s as an echo', async (script) => {
    expect((await complete(script)).choices[0]?.message.content).toContain('Hello there');
  });

  it('honours max_tokens, with the finish reason length', async () => {
    const { choices, usage } = await complete('echo', { max_tokens: 3 });
    expect(choices[0]).toMatchObject({ message: { content: 'You said: Hello' }, finish_reason: 'length' });
    expect(usage.completionTokens).toBe(3);
    expect((await complete('echo', { max_completion_tokens: 1 })).usage.completionTokens).toBe(1);
  });

  it.each(['there', ['nowhere', 'there']])('ends before a stop sequence', async (stop) => {
    const { choices } = await complete('echo', { stop });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop' });
    expect(choices[0]?.message.content?.trimEnd()).toBe('You said: Hello');
  });

  it('has one choice, whatever n is', async () => {
    expect((await complete('echo', { n: 3 })).choices).toHaveLength(1);
  });

  it('answers in JSON on request', async () => {
    const object = await complete('echo', { response_format: { type: 'json_object' } });
    expect(JSON.parse(object.choices[0]?.message.content ?? '')).toEqual({ echo: 'Hello there' });
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 2 } },
    };
    const structured = await complete('echo', {
      response_format: { type: 'json_schema', json_schema: { name: 'trip', schema } },
    });
    expect(JSON.parse(structured.choices[0]?.message.content ?? '')).toEqual({ city: 'example', days: 2 });
  });

  it.each([
    [{}, 1],
    [{ minimum: 2 }, 2],
    [{ minimum: -5 }, 1],
    [{ maximum: -3 }, -3],
    [{ exclusiveMinimum: 1 }, 2],
    [{ minimum: -9_007_199_254_740_991, exclusiveMinimum: 0, maximum: 600_000 }, 1],
    [{ exclusiveMaximum: 1 }, 0],
    [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
  ])('keeps to the bounds %j of a number', async (bounds, expected) => {
    const schema = { type: 'object', properties: { n: { type: 'number', ...bounds } } };
    const { choices } = await complete('echo', {
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ n: expected });
  });

  it('reasons before it answers, and counts that', async () => {
    const { events } = await eventsOf('reasoner');
    expect(textOf(events, 'reasoning')).toContain('Hello there');
    const firstContent = events.findIndex((event) => event.type === 'delta' && event.delta.content);
    const lastReasoning = events.findLastIndex((event) => event.type === 'delta' && event.delta.reasoning);
    expect(lastReasoning).toBeLessThan(firstContent);
    const { choices, usage } = await complete('reasoner');
    expect(choices[0]?.message.reasoning).toContain('Hello there');
    expect(usage.reasoningTokens).toBeGreaterThan(0);
    expect(usage.completionTokens).toBeGreaterThan(usage.reasoningTokens ?? 0);
  });
});

describe('tool calls of the demo provider', () => {
  const tools = ['weather', 'news'].map((name) => ({
    type: 'function',
    function: {
      name,
      parameters: {
        type: 'object',
        properties: {
          place: { type: 'string' },
          unit: { enum: ['celsius', 'fahrenheit'] },
          days: { type: 'array', items: { type: 'integer' } },
        },
      },
    },
  }));

  it('calls the first tool with arguments after its schema, streamed in fragments', async () => {
    const { choices } = await complete('tools', { tools });
    const call = choices[0]?.message.tool_calls?.[0];
    expect(choices[0]).toMatchObject({ message: { content: null }, finish_reason: 'tool_calls' });
    expect(call?.function?.name).toBe('weather');
    const args = { place: 'example', unit: 'celsius', days: [1] };
    expect(JSON.parse(call?.function?.arguments ?? '')).toEqual(args);

    const { events } = await eventsOf('tools', { tools });
    const fragments = events.flatMap((event) =>
      event.type === 'delta' ? (event.delta.tool_calls ?? []) : [],
    );
    expect(fragments.filter(({ id }) => id !== undefined)).toHaveLength(1);
    expect(fragments.length).toBeGreaterThan(2);
    expect(fragments.map((fragment) => fragment.function?.arguments ?? '').join('')).toBe(
      call?.function?.arguments,
    );
  });

  it('calls the tool that is named, and none for `none` or after the result', async () => {
    const named = await complete('tools', {
      tools,
      tool_choice: { type: 'function', function: { name: 'news' } },
    });
    expect(named.choices[0]?.message.tool_calls?.[0]?.function?.name).toBe('news');
    expect((await complete('tools', { tools, tool_choice: 'none' })).choices[0]?.finish_reason).toBe('stop');
    const messages = [
      { role: 'user', content: 'Hello there' },
      { role: 'tool', tool_call_id: 'call_demo_weather', content: '{}' },
    ];
    expect((await complete('tools', { tools, messages })).choices[0]?.finish_reason).toBe('stop');
    expect((await complete('tools')).choices[0]?.finish_reason).toBe('stop');
  });
});

describe('failures of the demo provider', () => {
  it.each([
    ['status-400', { kind: 'invalid_request', status: 400, retryAfterMs: null }],
    ['status-401', { kind: 'auth', status: 401 }],
    ['status-418', { kind: 'upstream_error', status: 418 }],
    ['status-429', { kind: 'rate_limit', status: 429, retryAfterMs: 2000 }],
    ['status-503', { kind: 'upstream_error', status: 503 }],
    ['content-filter', { kind: 'content_filter', status: 400 }],
    ['reset', { kind: 'upstream_error', status: null, error: 'reset' }],
    ['break', { kind: 'upstream_error', status: null, error: 'reset' }],
    ['malformed', { kind: 'upstream_error', error: 'malformed' }],
    ['truncate', { kind: 'upstream_error', error: 'truncated' }],
  ])('%s fails in one piece', async (script, failure) => {
    await expect(complete(script)).rejects.toMatchObject(failure);
  });

  it.each([
    ['break-after-2', 2, { error: 'reset' }],
    ['break', 3, { error: 'reset' }],
    ['malformed', 3, { error: 'malformed' }],
  ])('%s fails after its words', async (script, words, failure) => {
    const { events, thrown } = await eventsOf(script);
    expect(textOf(events).split(' ')).toHaveLength(words);
    expect(thrown).toMatchObject(failure);
  });

  it('truncate ends without a finish', async () => {
    const { events, thrown } = await eventsOf('truncate');
    expect(thrown).toBeUndefined();
    expect(events.some(({ type }) => type === 'finish')).toBe(false);
  });

  it.each(['stall', 'stall-after-2', 'slow-5000', 'echo'])('%s ends once it is aborted', async (script) => {
    const client = new AbortController();
    const pending = eventsOf(script, {}, { signal: client.signal });
    client.abort();
    expect((await pending).thrown).toBeDefined();
  });
});

describe('scripts in credentials', () => {
  it.each([
    ['demo-status-429-abcdef', { status: 429 }],
    ['demo-content-filter-1', { kind: 'content_filter' }],
    ['demo-break-after-1-xyz', { error: 'reset' }],
  ])('%s takes precedence over the model', async (credential, failure) => {
    await expect(complete('echo', {}, { credential })).rejects.toMatchObject(failure);
  });

  it.each(['demo-ok-1234567890', 'demo-key', 'sk-demo-status-500', 'demo-status-42', ''])(
    '%s names no script',
    async (credential) => {
      await expect(complete('status-503', {}, { credential })).rejects.toMatchObject({ status: 503 });
    },
  );
});
