import { describe, expect, it } from 'vitest';
import { exactInteger } from '../../../src/base/json/exact-integer.js';
import { pushed } from '../../../src/base/push-stream.js';
import type { UpstreamEvent } from '../../../src/inference/ports/adapter.js';
import { nativeAnswer } from '../../../src/providers/anthropic/messages/answer.js';
import { nativeEventsOf } from '../../../src/providers/anthropic/messages/events.js';
import { restoredAnswer, restoredStream } from '../../../src/providers/fit/chat/restore-names.js';
import { assistant, call, fittedMessages, result, text, tool, tools, user } from './messages.fixture.js';

async function* streamed(events: readonly UpstreamEvent[]) {
  yield* events;
}

const HOUR = { type: 'ephemeral', ttl: '1h' };
const MARK = { type: 'ephemeral' };

describe('a Messages request that fits', () => {
  it.each(['anthropic', 'platform'] as const)('is sent as it came: the same object (%s)', (at) => {
    const { given, body, adapted } = fittedMessages(
      {
        system: [text('Be brief.', { cache_control: HOUR })],
        messages: [
          user([text('Look', { cache_control: MARK })]),
          assistant([text('Looking.'), call('a'), call('b')]),
          user([result('a'), result('b', [text('two')]), text('And?')]),
        ],
        tools,
        tool_choice: { type: 'tool', name: 'look' },
        temperature: 1,
        stop_sequences: ['END'],
      },
      { at },
    );
    expect(body).toBe(given);
    expect(adapted).toEqual([]);
  });
});

describe('members that a host has not', () => {
  it.each(['anthropic', 'platform'] as const)(
    'are sent in their newer spelling: the schema of an answer (%s)',
    (at) => {
      const format = { type: 'json_schema', schema: { type: 'object' } };
      const { body, adapted } = fittedMessages({ output_format: format }, { at });
      expect(body).not.toHaveProperty('output_format');
      expect(body.output_config).toEqual({ format });
      expect(adapted).toEqual([['output_format', 'changed']]);
      const newer = { type: 'json_schema', schema: { type: 'object', properties: {} } };
      expect(
        fittedMessages({ output_format: format, output_config: { format: newer } }, { at }).body
          .output_config,
      ).toEqual({ format: newer });
      expect(fittedMessages({ output_format: null }, { at }).body).not.toHaveProperty('output_config');
    },
  );

  it('of tools are left out and told at Bedrock and Vertex AI, examples said in words', () => {
    const given = {
      tools: [
        tool('look', { eager_input_streaming: true, input_examples: [{ a: 1 }], description: 'Looks.' }),
      ],
    };
    const { body, adapted } = fittedMessages(given, { at: 'platform' });
    expect(body.tools).toEqual([
      tool('look', { description: 'Looks.\n\nExamples of its arguments: [{"a":1}]' }),
    ]);
    expect(adapted).toEqual([
      ['tools[0].eager_input_streaming', 'left_out'],
      ['tools[0].input_examples', 'left_out'],
    ]);
    expect(fittedMessages(given).adapted).toEqual([]);
  });

  it('of tools stay with the beta feature that they belong to', () => {
    const given = { tools: [tool(), tool('later', { defer_loading: true })] };
    expect(fittedMessages(given, { at: 'platform' }).adapted).toEqual([
      ['tools[1].defer_loading', 'left_out'],
    ]);
    const betas = ['tool-search-tool-2025-10-19'];
    expect(fittedMessages(given, { at: 'platform', betas }).adapted).toEqual([]);
  });

  it('of requests are left out and told where the answer is the same without them', () => {
    const given = {
      service_tier: 'auto',
      speed: 'fast',
      workspace_id: 'w',
      new_one: 1,
      inference_geo: 'global',
      thread: { type: 'create' },
    };
    const { body, adapted } = fittedMessages(given, { at: 'platform' });
    expect(Object.keys(body)).toEqual(['max_tokens', 'messages']);
    expect(adapted.map(([name]) => name)).toEqual(Object.keys(given));
  });

  it.each([
    ['container', 'c'],
    ['mcp_servers', [{}]],
    ['inference_geo', 'us'],
    ['thread', { type: 'continue', previous_message_id: 'm' }],
  ])('is refused and named before it is sent where it is not: %s', (name, value) => {
    expect(() => fittedMessages({ [name]: value }, { at: 'platform' })).toThrow(
      `${name}: Claude takes no \`${name}\``,
    );
  });
});

describe('marks of the cache', () => {
  it('of the whole request stands on the last block where the host takes it nowhere else', () => {
    const messages = [user('One'), assistant('Two'), user('Three')];
    const { body, adapted } = fittedMessages({ messages, cache_control: MARK }, { at: 'platform' });
    expect(body).toEqual({
      max_tokens: 8000,
      messages: [user('One'), assistant('Two'), user([text('Three', { cache_control: MARK })])],
    });
    expect(adapted).toEqual([['cache_control', 'changed']]);
  });

  it('lose a scope without its beta feature', () => {
    const messages = [user([text('One', { cache_control: { ...MARK, scope: 'global' } })])];
    expect(fittedMessages({ messages }).body.messages).toEqual([
      user([text('One', { cache_control: MARK })]),
    ]);
    const betas = ['prompt-caching-scope-2026-01-05'];
    expect(fittedMessages({ messages }, { betas }).body.messages).toBe(messages);
    expect(fittedMessages({ messages }, { betas, at: 'platform' }).adapted).toEqual([
      ['cache_control', 'changed'],
    ]);
  });

  it('are four at most: the first, which changes least, and the last three', () => {
    const content = [1, 2, 3, 4, 5, 6].map((number) => text(`${number}`, { cache_control: MARK }));
    const [turn] = fittedMessages({ messages: [user(content)] }).body.messages as [{ content: object[] }];
    expect(turn.content.map((block) => 'cache_control' in block)).toEqual([
      true,
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it('of an hour do not come after those of five minutes', () => {
    const messages = [user([text('One', { cache_control: MARK }), text('Two', { cache_control: HOUR })])];
    expect(fittedMessages({ messages }).body.messages).toEqual([
      user([text('One', { cache_control: MARK }), text('Two', { cache_control: MARK })]),
    ]);
  });

  it('are not on thoughts, nor on tools that are loaded later', () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: 'EqQB' };
    const { body } = fittedMessages({
      messages: [user('One'), assistant([{ ...thought, cache_control: MARK }, text('Two')]), user('Three')],
      tools: [tool(), tool('later', { defer_loading: true, cache_control: MARK })],
    });
    expect(JSON.stringify(body)).not.toContain('cache_control');
  });
});

describe('schemas of tools', () => {
  const schemaOf = (input_schema: unknown) => {
    const { body, adapted } = fittedMessages({ tools: [{ name: 'look', input_schema }] });
    const [sent] = body.tools as [{ input_schema: object; description?: string }];
    return { ...sent, adapted };
  };

  it.each(['anyOf', 'oneOf', 'allOf'])('%s at the root becomes an object that admits the same', (word) => {
    const schema = {
      [word]: [
        { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        { type: 'object', properties: { url: { type: 'string' } } },
      ],
    };
    const { input_schema, description, adapted } = schemaOf(schema);
    expect(input_schema).toMatchObject({
      type: 'object',
      properties: { path: { type: 'string' }, url: { type: 'string' } },
    });
    expect(input_schema).not.toHaveProperty(word);
    expect(description).toContain(JSON.stringify(schema));
    expect(adapted).toEqual([['tools[0].input_schema', 'changed']]);
  });

  it('integers that no number holds are told digit by digit', () => {
    const properties = { count: { type: 'integer', maximum: exactInteger('9223372036854775807') } };
    const { description } = schemaOf({ anyOf: [{ type: 'object', properties }] });
    expect(description).toContain('"maximum":9223372036854775807');
  });

  it('properties whose names the API refuses are admitted, and described', () => {
    const properties = { 'Account Number': { type: 'string' }, limit: { type: 'integer' } };
    const { input_schema, description } = schemaOf({
      type: 'object',
      properties,
      required: ['Account Number', 'limit'],
      additionalProperties: false,
    });
    expect(input_schema).toEqual({
      type: 'object',
      properties: { limit: { type: 'integer' } },
      required: ['limit'],
    });
    expect(description).toContain('Account Number');
  });

  it('words of earlier drafts are said in those of draft 2020-12', () => {
    const schema = {
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false },
        above: { type: 'number', minimum: 0, exclusiveMinimum: true },
      },
    };
    expect(schemaOf(schema).input_schema).toEqual({
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
        above: { type: 'number', exclusiveMinimum: 0 },
      },
    });
  });

  it.each([{}, { properties: { a: { type: 'string' } } }, undefined])('%j is one of an object', (schema) => {
    expect(schemaOf(schema).input_schema).toMatchObject({ type: 'object', properties: expect.anything() });
  });
});

describe('tools', () => {
  it('a tool that is given twice is sent once, another one of its name refused and named', () => {
    expect(fittedMessages({ tools: [tool(), tool()] }).body.tools).toEqual(tools);
    expect(() => fittedMessages({ tools: [tool(), tool('look', { description: 'Other' })] })).toThrow(
      'tools[1].name: Claude takes each name of a tool once',
    );
  });

  it('a conversation with calls has tools, of which none may be called', () => {
    const messages = [user('One'), assistant([call('a')]), user([result('a')])];
    expect(fittedMessages({ messages }).body).toMatchObject({ tools, tool_choice: { type: 'none' } });
  });

  it('a choice without tools is left out, one of a tool that there is not refused and named', () => {
    expect(fittedMessages({ tool_choice: { type: 'auto' } }).adapted).toEqual([['tool_choice', 'left_out']]);
    expect(() => fittedMessages({ tools, tool_choice: { type: 'tool', name: 'other' } })).toThrow(
      'tool_choice: Claude takes the name of one of the tools',
    );
  });

  it('names are what the host takes wherever they stand, and what they were in answers and events', async () => {
    const name = 'github.issues/list';
    const { body, names } = fittedMessages({
      messages: [user('One'), assistant([call('a', name)]), user([result('a')])],
      tools: [tool(name)],
      tool_choice: { type: 'tool', name },
    });
    const sent = 'github_issues_list';
    expect(JSON.stringify(body)).not.toContain(name);
    expect(body).toMatchObject({ tools: [{ name: sent }], tool_choice: { name: sent } });
    const answer = nativeAnswer({
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [call('b', sent)],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    const restored = restoredAnswer(answer, names);
    expect(restored).toMatchObject({
      native: { content: [{ name }] },
      normalized: { choices: [{ message: { tool_calls: [{ function: { name } }] } }] },
    });
    const events: UpstreamEvent[] = [];
    const stream = pushed(streamed(nativeEventsOf(answer.native)));
    for await (const event of restoredStream(stream, 'messages', names)) events.push(event);
    expect(JSON.stringify(events)).not.toContain(sent);
    expect(events.map((event) => event.type === 'native' && event.event.text).join()).toContain(
      `"name":"${name}"`,
    );
  });
});
