import { describe, expect, it } from 'vitest';
import type { ResponsesBody } from '../../../src/formats/responses/types.js';
import { responsesAnswer, unplacedIn } from '../../../src/formats/responses/writing/answer.js';
import { givenBack } from '../../../src/formats/responses/writing/given-back.js';
import { type Said, wholeAnswer } from '../messages/answer.fixture.js';
import { answered, COMPLETED_AT, headOf, RULES } from './writing.fixture.js';

const CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } };

function outputOf(said: Said, rules = RULES) {
  return answered(said, rules).output;
}

describe('an answer in one piece', () => {
  it('has every member that OpenAI’s types and the Open Responses schema want', () => {
    expect(responsesAnswer(wholeAnswer({ content: 'Hi' }), headOf(), RULES, COMPLETED_AT)).toEqual({
      id: 'resp_gen-1',
      object: 'response',
      created_at: 1,
      completed_at: COMPLETED_AT,
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: null,
      model: 'm',
      output: [
        {
          type: 'message',
          id: 'msg_gen-1_0',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
        },
      ],
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 30, cache_write_tokens: 10 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 120,
        cost: 0.001,
        is_byok: false,
        cost_details: {
          upstream_inference_cost: null,
          upstream_inference_input_cost: 0.0004,
          upstream_inference_output_cost: 0.0006,
        },
      },
      ...{ background: false, store: false, previous_response_id: null, truncation: 'disabled' },
      ...{ frequency_penalty: 0, presence_penalty: 0, temperature: 1, top_p: 1, top_logprobs: 0 },
      ...{ max_output_tokens: null, max_tool_calls: null, parallel_tool_calls: true },
      ...{ prompt_cache_key: null, safety_identifier: null, user: null, service_tier: 'default' },
      ...{ metadata: {}, reasoning: { effort: null, summary: null }, text: { format: { type: 'text' } } },
      ...{ tools: [], tool_choice: 'auto' },
    });
  });

  it('gives back what was sent, functions and choices with what they lack', () => {
    const look = { type: 'function', name: 'look' };
    const body: ResponsesBody = {
      ...{
        model: 'm',
        input: 'Hi',
        instructions: 'Be kind',
        metadata: { a: 'b' },
        temperature: 0,
        user: 'u',
      },
      ...{ max_output_tokens: 9, reasoning: { effort: 'high' }, parallel_tool_calls: false, top_logprobs: 2 },
      ...{ prompt_cache_key: 'k', service_tier: 'flex', truncation: 'auto', store: null },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: {}, strict: true } },
      tools: [
        look,
        { type: 'namespace', name: 'space', tools: [look] },
        { type: 'web_search', filters: null },
      ],
      tool_choice: { type: 'allowed_tools', tools: [look] },
    };
    const whole = { description: null, parameters: null, strict: null, ...look };
    expect(givenBack(body)).toMatchObject({
      ...{ instructions: 'Be kind', metadata: { a: 'b' }, temperature: 0, user: 'u', max_output_tokens: 9 },
      ...{ reasoning: { effort: 'high', summary: null }, parallel_tool_calls: false, top_logprobs: 2 },
      ...{ prompt_cache_key: 'k', service_tier: 'flex', truncation: 'auto', store: false },
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'n', schema: {}, strict: true, description: null },
      },
      tools: [
        whole,
        { type: 'namespace', name: 'space', tools: [whole] },
        { type: 'web_search', filters: null },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [look] },
    });
  });

  it.each([
    ['temperature', 'warm', 1],
    ['top_p', null, 1],
    ['metadata', null, {}],
    ['tools', null, []],
    ['tool_choice', null, 'auto'],
    ['truncation', null, 'disabled'],
    ['service_tier', null, 'default'],
    ['text', null, { format: { type: 'text' } }],
    ['reasoning', null, { effort: null, summary: null }],
    ['presence_penalty', '1', 0],
  ])('says of %s %j what it is without', (member, sent, told) => {
    expect(givenBack({ model: 'm', [member]: sent })).toMatchObject({ [member]: told });
  });

  it('tells the tier that served', () => {
    const answer = { ...wholeAnswer({ content: 'Hi' }), service_tier: 'priority' };
    expect(responsesAnswer(answer, headOf(), RULES, 1).service_tier).toBe('priority');
  });

  it('has a refusal beside the text of its message', () => {
    expect(outputOf({ content: 'So', refusal: 'No' })).toMatchObject([
      {
        type: 'message',
        content: [
          { type: 'output_text', text: 'So' },
          { type: 'refusal', refusal: 'No' },
        ],
      },
    ]);
  });

  it('tells the pages that a text cites, and no sources of other forms', () => {
    const cited = { url: 'https://a.example', start_index: 1, end_index: 3 };
    const annotations = [
      { type: 'url_citation', url_citation: cited },
      { type: 'file_citation', file_citation: { cited_text: 'x', document_index: 0 } },
    ];
    expect(outputOf({ content: 'abcd', annotations })).toMatchObject([
      { content: [{ annotations: [{ type: 'url_citation', title: '', ...cited }] }] },
    ]);
  });

  it('counts positions of citations from the beginning of their own text', () => {
    const thought = { type: 'reasoning.text', text: 'Hm', format: 'anthropic-claude-v1', index: 0 };
    const annotations = [
      { type: 'url_citation', url_citation: { url: 'https://a.example', start_index: 0, end_index: 2 } },
      { type: 'url_citation', url_citation: { url: 'https://b.example', start_index: 4, end_index: 6 } },
    ];
    const reasoning_details = [{ ...thought, id: 'thought_0_3_0' }];
    expect(outputOf({ content: 'abcdef', annotations, reasoning_details })).toMatchObject([
      { content: [{ text: 'abc', annotations: [{ url: 'https://a.example', start_index: 0 }] }] },
      { type: 'reasoning' },
      {
        content: [{ text: 'def', annotations: [{ url: 'https://b.example', start_index: 1, end_index: 3 }] }],
      },
    ]);
  });

  it('tells probabilities with the members that clients want', () => {
    const answer = wholeAnswer({ content: 'é' });
    const token = { token: 'é', logprob: -1, bytes: null };
    const logprobs = {
      content: [
        { ...token, top_logprobs: [token] },
        { token: 'a', logprob: -2, bytes: [97] },
      ],
    };
    const choices = answer.choices.map((choice) => ({ ...choice, logprobs }));
    const whole = { token: 'é', logprob: -1, bytes: [195, 169] };
    expect(responsesAnswer({ ...answer, choices }, headOf(), RULES, 1).output).toMatchObject([
      {
        content: [
          {
            logprobs: [
              { ...whole, top_logprobs: [whole] },
              { token: 'a', logprob: -2, bytes: [97], top_logprobs: [] },
            ],
          },
        ],
      },
    ]);
  });

  it('has images that the model made, and names those that it has no place for', () => {
    const image = (url: string) => ({ type: 'image_url', image_url: { url } });
    const images = [image('data:image/png;base64,AAAA'), image('https://a.example/b.png')];
    expect(outputOf({ images })).toEqual([
      { type: 'image_generation_call', id: 'ig_gen-1_0', status: 'completed', result: 'AAAA' },
    ]);
    const [choice] = wholeAnswer({ images, audio: { data: 'AAAA' } }).choices;
    expect(unplacedIn(choice, 'gen-1', RULES)).toEqual(['images', 'audio']);
  });
});

describe('a call', () => {
  it('has the name that its client knows, and its namespace', () => {
    const named = (name: string) => ({ ...CALL, id: name, function: { name, arguments: '{}' } });
    expect(outputOf({ tool_calls: [named('look'), named('space__look')] })).toEqual([
      {
        ...{ type: 'function_call', id: 'fc_gen-1_0', call_id: 'look', name: 'look', arguments: '{}' },
        status: 'completed',
      },
      {
        ...{ type: 'function_call', id: 'fc_gen-1_1', call_id: 'space__look', name: 'look', arguments: '{}' },
        ...{ namespace: 'space', status: 'completed' },
      },
    ]);
  });

  it('without arguments has none, as JSON', () => {
    const call = { ...CALL, function: { name: 'look', arguments: '' } };
    expect(outputOf({ tool_calls: [call] })).toMatchObject([{ arguments: '{}', status: 'completed' }]);
  });

  it('whose arguments were cut is incomplete, and so is the response, whatever its host says', () => {
    const cut = { ...CALL, function: { name: 'look', arguments: '{"command":"rm -rf /tmp/a' } };
    const answer = answered({ tool_calls: [cut] }, RULES, { reason: 'tool_calls' });
    expect(answer).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      completed_at: null,
      output: [{ type: 'function_call', status: 'incomplete' }],
    });
  });

  it('whose arguments are whole but no JSON is the client’s to judge', () => {
    const call = { ...CALL, function: { name: 'look', arguments: "{at: 'x'}" } };
    expect(answered({ tool_calls: [call] })).toMatchObject({
      status: 'completed',
      output: [{ arguments: "{at: 'x'}", status: 'completed' }],
    });
  });

  it('has an id of its own that fits: the host’s, where that is one', () => {
    const ids = ['call_1', 'call_1', '', 'x'.repeat(65), 'x'.repeat(64)];
    const output = outputOf({ tool_calls: ids.map((id) => ({ ...CALL, id })) });
    const sent = output.map((item) => ('call_id' in item ? item.call_id : ''));
    expect(sent).toEqual([
      'call_1',
      'call_gen-1_1',
      'call_gen-1_2',
      expect.stringMatching(/^call_[\da-f]{32}$/),
      'x'.repeat(64),
    ]);
  });
});

describe('the status', () => {
  it.each([
    ['stop', 'completed', null, 'completed'],
    ['tool_calls', 'completed', null, 'completed'],
    ['length', 'incomplete', { reason: 'max_output_tokens' }, 'incomplete'],
    ['content_filter', 'incomplete', { reason: 'content_filter' }, 'incomplete'],
  ] as const)('for %s is %s', (reason, status, incomplete_details, ofItem) => {
    expect(answered({ content: 'Hi' }, RULES, { reason })).toMatchObject({
      ...{ status, incomplete_details },
      completed_at: status === 'completed' ? COMPLETED_AT : null,
      output: [{ status: ofItem }],
    });
  });

  it('of what was complete before the maximum was reached stays so', () => {
    const answer = answered({ content: 'Hi', tool_calls: [CALL] }, RULES, { reason: 'length' });
    expect(answer.output).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  });
});
