import { describe, expect, it } from 'vitest';
import { statelessViolations } from '../../../src/formats/responses/stateless.js';
import { chatOf, read } from './reader.fixture.js';

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } };

describe('members of a Responses request', () => {
  it('have the same meaning in a chat, and leave nothing out', () => {
    const same = {
      ...{ models: ['n'], provider: { zdr: true }, stream: true, temperature: 0.5, top_p: 0.9 },
      ...{ service_tier: 'flex', user: 'u', safety_identifier: 's', prompt_cache_key: 'k' },
    };
    expect(read(same)).toMatchObject({
      chat: { model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...same },
      ...{ omitted: [], nativeOnly: [], violations: [] },
    });
  });

  it.each([
    ['a limit', { max_output_tokens: 5 }, { max_tokens: 5 }],
    [
      'an effort, whose reasoning nobody wants to see',
      { reasoning: { effort: 'max' } },
      { reasoning: { effort: 'max', exclude: true } },
    ],
    [
      'an effort with summaries',
      { reasoning: { effort: 'none', summary: 'auto' } },
      { reasoning: { effort: 'none' } },
    ],
    [
      'an effort whose reasoning is carried',
      { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] },
      { reasoning: { effort: 'low' } },
    ],
    ['summaries alone, which ask no model to reason', { reasoning: { summary: 'auto' } }, {}],
    ['no effort at all', { reasoning: { effort: null, summary: null } }, {}],
    ['a plain text', { text: { format: { type: 'text' } } }, {}],
    ['verbosity', { text: { verbosity: 'low' } }, { verbosity: 'low' }],
    ['any JSON', { text: { format: { type: 'json_object' } } }, { response_format: { type: 'json_object' } }],
    [
      'JSON in a schema',
      {
        text: { format: { type: 'json_schema', name: 'x', schema: SCHEMA, strict: true, description: 'd' } },
      },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'x', description: 'd', schema: SCHEMA, strict: true },
        },
      },
    ],
    [
      'JSON in a schema that leaves open whether it is strict',
      { text: { format: { type: 'json_schema', name: 'x', schema: SCHEMA, strict: null } } },
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } } },
    ],
    [
      'probabilities',
      { include: ['message.output_text.logprobs'], top_logprobs: 3 },
      { logprobs: true, top_logprobs: 3 },
    ],
    ['probabilities of the chosen tokens', { include: ['message.output_text.logprobs'] }, { logprobs: true }],
    ['what is only given back', { truncation: 'auto', store: false, max_tool_calls: 3 }, {}],
    ['options of a stream', { stream_options: { include_obfuscation: false } }, {}],
  ])('%s', (_, more, expected) => {
    const { model, messages, ...rest } = chatOf(more);
    expect(rest).toEqual(expected);
    expect(read(more).omitted).toEqual([]);
  });

  it('that a chat can’t have are left out, and named', () => {
    const { chat, omitted, violations } = read({
      ...{ metadata: { a: 'b' }, client_metadata: { c: 'd' }, future_member: 1, moderation: null, betas: [] },
      ...{ reasoning: { context: 'all' }, text: { format: { type: 'grammar' }, tone: 'kind' } },
    });
    expect(Object.keys(chat)).toEqual(['model', 'messages']);
    expect(violations).toEqual([]);
    expect(omitted.toSorted()).toEqual([
      ...['client_metadata', 'future_member', 'metadata', 'reasoning.context', 'text.format', 'text.tone'],
    ]);
  });

  it.each([
    [{}, { showsReasoning: false, carriesReasoning: false }],
    [{ reasoning: { summary: 'detailed' } }, { showsReasoning: true, carriesReasoning: false }],
    [{ reasoning: { generate_summary: 'auto' } }, { showsReasoning: true, carriesReasoning: false }],
    [{ include: ['reasoning.encrypted_content'] }, { showsReasoning: false, carriesReasoning: true }],
  ])('%j say how reasoning is given', (more, expected) => {
    expect(read(more).rules).toMatchObject(expected);
  });

  it('give the conversation, or are refused by name', () => {
    const { violations } = read({ input: undefined });
    expect(violations).toEqual([
      { field: 'input', rule: 'required', message: 'must be a string or a list of items' },
    ]);
    expect(read({ input: [] }).violations).toEqual([]);
  });
});

describe('a request that needs a stored response', () => {
  it.each([
    ...[{ store: true }, { store: 'yes' }, { background: true }, { previous_response_id: 'resp_1' }],
    ...[{ conversation: 'conv_1' }, { conversation: { id: 'conv_1' } }, { prompt: { id: 'pmpt_1' } }],
  ])('%j is refused by the member’s name', (body) => {
    const [field] = Object.keys(body);
    expect(statelessViolations(body)).toMatchObject([{ field, rule: 'stateless' }]);
  });

  it.each([
    ...[{}, { store: false }, { store: null }, { background: false }, { previous_response_id: null }],
    ...[{ conversation: null }, { prompt: null }],
  ])('%j needs none', (body) => {
    expect(statelessViolations(body)).toEqual([]);
  });
});
