import { describe, expect, it } from 'vitest';
import { exactInteger } from '../../../src/base/json/exact-integer.js';
import type { ChatMessage } from '../../../src/formats/chat/types.js';
import { calls, contractAt, fitted, result, tool, user } from './chat.fixture.js';

const DIGITS = '9223372036854775807';

describe('schemas of tools', () => {
  const union = {
    anyOf: [
      { type: 'object', properties: { path: { type: 'string' } }, required: ['path', 'mode'] },
      { $ref: '#/$defs/ByUrl' },
    ],
    $defs: {
      ByUrl: {
        type: 'object',
        properties: { url: { type: 'string' }, mode: { enum: ['r'] } },
        required: ['url', 'mode'],
      },
    },
  };

  it('a union at the root becomes an object that admits the same, with the original in its description', () => {
    const { body, adapted } = fitted({ tools: [tool('look', union)] }, { rootUnions: false });
    const { parameters, description } = body.tools?.[0]?.function ?? {};
    expect(parameters).toMatchObject({
      type: 'object',
      properties: { path: { type: 'string' }, url: { type: 'string' }, mode: { enum: ['r'] } },
      required: ['mode'],
    });
    expect(parameters).not.toHaveProperty('anyOf');
    expect(description).toContain(JSON.stringify(union));
    expect(adapted).toEqual([['tools[0].function.parameters', 'changed']]);
  });

  it('integers that no number holds are told digit by digit, of tools and of answers', () => {
    const schema = { type: 'integer', maximum: exactInteger(DIGITS) };
    const parameters = { oneOf: [{ type: 'object', properties: { count: schema } }] };
    const union = fitted({ tools: [tool('look', parameters)] }, { rootUnions: false });
    expect(union.body.tools?.[0]?.function?.description).toContain(DIGITS);
    const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } };
    const { body } = fitted({ response_format }, contractAt('deepseek'));
    expect(body.messages[0]?.content).toContain(DIGITS);
  });

  it('words beside references and unions are said as Moonshot takes them', () => {
    const schema = {
      type: 'object',
      properties: {
        one: { $ref: '#/$defs/One', description: 'The one' },
        any: { type: 'string', anyOf: [{ minLength: 1 }, { enum: ['a'] }] },
        all: true,
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
      },
      $defs: { One: { type: 'integer' } },
    };
    const sent = fitted({ tools: [tool('look', schema)] }, contractAt('moonshotai')).body.tools?.[0]
      ?.function;
    expect(sent?.parameters).toMatchObject({
      properties: {
        one: { type: 'integer', description: 'The one' },
        any: {
          anyOf: [
            { type: 'string', minLength: 1 },
            { type: 'string', enum: ['a'] },
          ],
        },
        all: {},
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      },
    });
  });

  it('no tools, and a choice among none, are not said', () => {
    const { body } = fitted(
      { tools: [], tool_choice: 'auto', parallel_tool_calls: true },
      contractAt('openai'),
    );
    expect(Object.keys(body)).toEqual(['model', 'messages']);
  });
});

describe('models that think', () => {
  const history = [user(), calls('abcdefgh1'), result('abcdefgh1')];
  const thinking = { isEnabled: true, effort: null, maxTokens: null };
  const off = { isEnabled: false, effort: null, maxTokens: null };

  it.each([
    ['deepseek', 'deepseek/deepseek-v4'],
    ['moonshotai', 'moonshotai/kimi-k2.5'],
  ])('answer without thinking where the thoughts of a call are lost, at %s', (slug, modelId) => {
    const { reasoning, adapted } = fitted({ messages: history }, contractAt(slug, modelId));
    expect(reasoning).toEqual(off);
    expect(adapted).toEqual([['reasoning', 'changed']]);
  });

  it('think on where the thoughts came back', () => {
    const [first, called, answered] = history as [ChatMessage, ChatMessage, ChatMessage];
    const messages = [first, { ...called, reasoning: 'Look there.' }, answered];
    const { reasoning } = fitted({ messages }, contractAt('deepseek'), { reasoning: thinking });
    expect(reasoning).toBe(thinking);
  });

  it('get a mark in place of lost thoughts where they can’t do without', () => {
    const { body, reasoning } = fitted(
      { messages: history },
      contractAt('moonshotai', 'moonshotai/kimi-k2-thinking'),
    );
    expect(reasoning).toBeNull();
    expect(body.messages[1]?.reasoning).toBe('.');
  });

  it('don’t think where a call is forced, if they take none while they do', () => {
    const body = { tools: [tool()], tool_choice: 'required' };
    expect(fitted(body, contractAt('deepseek'), { reasoning: thinking }).reasoning).toEqual(off);
  });
});

describe('the form of the answer', () => {
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } };

  it('is told in words beside tools, at Groq', () => {
    const { body, adapted } = fitted({ response_format, tools: [tool()] }, contractAt('groq'));
    expect(body.response_format).toBeUndefined();
    expect(body.messages[0]).toMatchObject({
      role: 'system',
      content: expect.stringContaining('{"type":"object"}'),
    });
    expect(adapted).toEqual([['response_format', 'changed']]);
  });

  it('is JSON with the schema in words where the host takes no schema', () => {
    const { body } = fitted({ response_format }, contractAt('deepseek'));
    expect(body.response_format).toEqual({ type: 'json_object' });
  });
});

describe('schemas that are made to grow', () => {
  const DEEP = 40;
  /** Each definition has two members of the next, with words beside the references. */
  const doubling = Object.fromEntries(
    Array.from({ length: DEEP }, (_, level) => {
      const next = { $ref: `#/$defs/D${(level + 1) % DEEP}`, description: 'The next' };
      return [`D${level}`, { type: 'object', properties: { one: next, other: next } }];
    }),
  );
  /** Each alternative of the root is one of all alternatives. */
  const alternatives = Array.from({ length: DEEP }, () => ({ $ref: '#/$defs/Any' }));
  const widening = { Any: { anyOf: alternatives } };

  it.each([
    [
      'moonshotai',
      { type: 'object', properties: { first: { $ref: '#/$defs/D0', title: 'First' } }, $defs: doubling },
    ],
    ['openai', { anyOf: alternatives, $defs: widening }],
    ['moonshotai', { anyOf: alternatives, $defs: widening }],
  ])('stay within a bound, at %s', (slug, schema) => {
    const { body } = fitted({ tools: [tool('look', schema)] }, contractAt(slug));
    expect(JSON.stringify(body).length).toBeLessThan(1_000_000);
  });
});
