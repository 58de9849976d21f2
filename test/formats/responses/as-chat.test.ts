import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/base/problem.js';
import { chatInResponses } from '../../../src/formats/responses/as-chat.js';

describe('a Responses request where a chat belongs', () => {
  it('is the chat that it would be', () => {
    const body = {
      ...{ model: 'm', stream: true, stream_options: { include_usage: true }, user: 'u', store: false },
      input: [
        { role: 'system', content: 'S' },
        { role: 'user', content: [{ type: 'input_text', text: 'U' }] },
      ],
      tools: [{ type: 'function', name: 'a', description: 'A.', parameters: { type: 'object' } }],
      tool_choice: 'auto',
      reasoning: { effort: 'high', summary: null },
      ...{ text: { verbosity: 'low' }, include: [], prompt_cache_retention: '24h', seed: 7 },
    };
    expect(chatInResponses(body)).toEqual({
      ...{ model: 'm', stream: true, stream_options: { include_usage: true }, user: 'u', seed: 7 },
      messages: [
        { role: 'system', content: 'S' },
        { role: 'user', content: 'U' },
      ],
      tools: [
        { type: 'function', function: { name: 'a', description: 'A.', parameters: { type: 'object' } } },
      ],
      tool_choice: 'auto',
      reasoning: { effort: 'high' },
      verbosity: 'low',
    });
    expect(chatInResponses({ model: 'm', input: 'Hi', messages: [] })).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
    });
  });

  it.each([
    { model: 'm', messages: [{ role: 'user', content: 'Hi' }], input: 'x' },
    { model: 'm', messages: [] },
    { model: 'm' },
    { model: 'm', input: null },
  ])('is not what %j is', (body) => {
    expect(chatInResponses(body)).toBe(body);
  });

  it.each([
    [{ input: [{ role: 'critic', content: 'x' }] }, 'input[0].role'],
    [{ input: 'Hi', previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ input: 'Hi', tool_choice: { type: 'web_search' } }, 'tool_choice'],
    [{ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }, 'file_id'],
  ])('that no chat can be is refused by name: %j', (body, field) => {
    expect(() => chatInResponses(body)).toThrow(
      expect.objectContaining({
        reason: 'invalid_request',
        violations: [expect.objectContaining({ field })],
      }) as Problem,
    );
  });
});
