import { describe, expect, it } from 'vitest';
import type { Row } from '../../support/rest.js';
import { onPlatforms } from './platform.js';

const NEW = [{ name: 'm', upstreamId: claudeOf }];

/** A model of each platform that takes schemas. */
function claudeOf({ slug }: { readonly slug: string }): string | undefined {
  if (slug === 'anthropic' || slug === 'vertex-claude') return 'claude-haiku-4-5';
  return slug.startsWith('bedrock') ? 'anthropic.claude-haiku-4-5' : undefined;
}

const bounded = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 1, description: 'How many' } },
  required: ['count'],
};
const cleaned = {
  type: 'object',
  properties: { count: { type: 'integer', description: 'How many\n\n{minimum: 1}' } },
  required: ['count'],
  additionalProperties: false,
};
const mapped = {
  type: 'object',
  properties: { byName: { type: 'object', additionalProperties: { type: 'number' } } },
};
const tool = (parameters: object, strict: boolean) => ({
  type: 'function',
  function: { name: 'f', parameters, strict },
});

describe.each(['anthropic', 'vertex-claude', 'bedrock-key'])('schemas at %s', (slug) => {
  const { ask, sent } = onPlatforms(NEW);
  const toolSent = () => {
    const body = sent(slug);
    const [first] = ((body.toolConfig as Row | undefined)?.tools ?? body.tools) as Row[];
    const spec = (first?.toolSpec ?? first) as Row;
    return {
      strict: spec.strict,
      schema: (spec.inputSchema as Row | undefined)?.json ?? spec.input_schema,
    };
  };

  it('F8: those of strict tools are cleaned as those of answers are', async () => {
    // The words that the API refuses: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
    expect((await ask(slug, { tools: [tool(bounded, true)] })).error).toBeUndefined();
    expect(toolSent()).toEqual({ strict: true, schema: cleaned });
  });

  it('F8: those of other tools go as they are', async () => {
    await ask(slug, { tools: [tool(bounded, false)] });
    expect(toolSent()).toEqual({ strict: undefined, schema: bounded });
  });

  it('F17: a strict tool with a map goes as it is, without being strict', async () => {
    expect((await ask(slug, { tools: [tool(mapped, true)] })).error).toBeUndefined();
    expect(toolSent()).toEqual({ strict: undefined, schema: mapped });
  });

  it.each([
    ['a map', mapped, '.properties.byName.additionalProperties'],
    ['a map in a list', { type: 'array', items: mapped }, '.items.properties.byName.additionalProperties'],
    ['an open object', { type: 'object', additionalProperties: true }, '.additionalProperties'],
    [
      'names by pattern',
      { $defs: { a: { type: 'object', patternProperties: { x: {} } } }, $ref: '#/$defs/a' },
      '.$defs.a.patternProperties',
    ],
    [
      'one of several',
      { anyOf: [{ type: 'null' }, mapped] },
      '.anyOf[1].properties.byName.additionalProperties',
    ],
  ])('F17: an answer of a schema with %s is refused, which names it', async (_, schema, place) => {
    const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } };
    expect((await ask(slug, { response_format })).error).toMatchObject({
      code: 400,
      message: expect.stringContaining(`response_format.json_schema.schema${place}: `),
    });
  });
});

describe.each(['anthropic', 'bedrock-key'])('F14: `tool_choice: allowed_tools` at %s', (slug) => {
  const { ask, sent } = onPlatforms();
  const tools = ['a', 'b', 'c'].map((name) => ({ type: 'function', function: { name } }));
  const allowed = (mode: string) => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: [tools[0], { type: 'function', function: { name: 'c' } }] },
  });

  it.each([
    ['auto', undefined],
    ['required', slug === 'anthropic' ? { type: 'any' } : { any: {} }],
  ])('sends the allowed tools alone, with the mode %s', async (mode, choice) => {
    await ask(slug, { tools, tool_choice: allowed(mode) });
    const body = sent(slug);
    const config = (body.toolConfig ?? body) as Row;
    expect((config.tools as Row[]).map((one) => ((one.toolSpec ?? one) as Row).name)).toEqual(['a', 'c']);
    const sentChoice = slug === 'anthropic' && mode === 'auto' ? { type: 'auto' } : choice;
    expect(config.tool_choice ?? config.toolChoice).toEqual(sentChoice);
  });
});

describe('F16: marks for a prompt cache', () => {
  const { ask, sent } = onPlatforms();
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const messages = [
    { role: 'system', content: 'Be brief.', cache_control },
    { role: 'user', content: 'Hi', cache_control },
    { role: 'assistant', content: 'Hello', cache_control },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      cache_control,
    },
  ];

  it.each(['anthropic', 'vertex-claude'])('on messages mark their last block, at %s', async (slug) => {
    expect((await ask(slug, { messages })).error).toBeUndefined();
    expect(sent(slug)).toMatchObject({
      system: [{ text: 'Be brief.', cache_control }],
      messages: [
        { content: [{ text: 'Hi', cache_control }] },
        { content: [{ text: 'Hello', cache_control }] },
        { content: [{ text: 'a' }, { text: 'b', cache_control }] },
      ],
    });
    expect(JSON.stringify(sent(slug)).match(/cache_control/g)).toHaveLength(4);
  });

  it('on messages, and on the request, are cache points at Amazon Bedrock', async () => {
    const point = { cachePoint: { type: 'default', ttl: '1h' } };
    expect((await ask('bedrock-key', { messages })).error).toBeUndefined();
    expect(sent('bedrock-key')).toMatchObject({
      system: [{ text: 'Be brief.' }, point],
      messages: [
        { content: [{ text: 'Hi' }, point] },
        { content: [{ text: 'Hello' }, point] },
        { content: [{ text: 'a' }, { text: 'b' }, point] },
      ],
    });
    await ask('bedrock-key', { cache_control });
    expect(sent('bedrock-key').messages).toEqual([
      { role: 'user', content: [{ text: 'Hello there' }, point] },
    ]);
  });
});
