import { expect, it } from 'vitest';
import { choiceWithoutReasoning } from '../../src/inference/reasoning/hidden-reasoning.js';

it.each([
  ['thinking', 'redacted_thinking', 'text'],
  ['reasoning', 'reasoning', 'message'],
])(
  'blocks of the types %s and %s are reasoning, which is hidden; those of the type %s are not',
  (...types) => {
    const choice = {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hi',
        refusal: null,
        reasoning: 'Hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }],
        provider_blocks: { format: 'x', blocks: types.map((type) => ({ type })) },
      },
      finish_reason: 'stop',
      native_finish_reason: null,
      logprobs: null,
    } as const;
    expect(choiceWithoutReasoning(choice).message).toEqual({
      role: 'assistant',
      content: 'Hi',
      refusal: null,
      provider_blocks: { format: 'x', blocks: [{ type: types[2] }] },
    });
  },
);
