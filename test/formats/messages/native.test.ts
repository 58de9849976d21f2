import { describe, expect, it } from 'vitest';
import { markOf } from '../../../src/formats/marks.js';
import { withoutOwn } from '../../../src/formats/messages/native.js';
import type { MessagesBody } from '../../../src/formats/messages/types.js';
import { SIGNER } from './signer.fixture.js';

const OURS = { type: 'thinking', thinking: 'Hm.', signature: markOf([], SIGNER) };
const OUR_REDACTED = { type: 'redacted_thinking', data: markOf([{ type: 'reasoning.encrypted' }], SIGNER) };
const THEIRS = { type: 'thinking', thinking: 'Hm.', signature: 'EqRs' };
const CALL = { type: 'tool_use', id: 't', name: 'look', input: {} };
const ASKED = { role: 'user', content: 'Look!' };
const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] };
const EDITS = [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }];

function body(more: Partial<MessagesBody> = {}): MessagesBody {
  return { model: 'm', max_tokens: 1, messages: [ASKED], ...more };
}

function assistant(...content: object[]) {
  return { role: 'assistant', content };
}

describe('what an endpoint that speaks Messages gets', () => {
  it('is the request without what is the gateway’s own', () => {
    const own = { provider: { zdr: true }, models: ['n'], route: 'fallback' };
    const theirs = body({ future: 1, messages: [ASKED, assistant(THEIRS, CALL), RESULT] });
    expect(withoutOwn({ ...theirs, ...own })).toEqual(theirs);
    expect(withoutOwn(theirs).messages).toBe(theirs.messages);
  });

  it('has none of the gateway’s marks, and no message that was nothing else', () => {
    const messages = [
      ASKED,
      assistant(OURS, OUR_REDACTED),
      ASKED,
      assistant(OURS, { type: 'text', text: 'Hi' }),
    ];
    expect(withoutOwn(body({ messages })).messages).toEqual([
      ASKED,
      ASKED,
      assistant({ type: 'text', text: 'Hi' }),
    ]);
  });

  it.each([
    ['enabled', [ASKED, assistant(OURS, CALL), RESULT], false],
    ['enabled', [ASKED, assistant(CALL), RESULT], false],
    ['enabled', [ASKED], true],
    ['enabled', [ASKED, assistant(OURS, CALL), RESULT, assistant(THEIRS, CALL), RESULT], false],
    ['enabled', [ASKED, assistant(THEIRS, CALL), RESULT, assistant(OURS, CALL), RESULT], true],
    ['enabled', [ASKED, assistant(OURS, CALL), RESULT, assistant(OURS, CALL), RESULT, ASKED], true],
    ['adaptive', [ASKED, assistant(OURS, CALL), RESULT], true],
  ])('thinks (%s) only where the turn that goes on began with a thought: %#', (type, messages, isKept) => {
    const thinking = { type, budget_tokens: 2000 };
    const sent = withoutOwn(body({ thinking, messages, context_management: { edits: EDITS } }));
    expect(sent.thinking).toEqual(isKept ? thinking : undefined);
    expect(sent.context_management).toEqual({ edits: isKept ? EDITS : EDITS.slice(1) });
  });

  it('says nothing of its context where all it said was of thoughts', () => {
    const messages = [ASKED, assistant(OURS, CALL), RESULT];
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    const sent = withoutOwn(body({ thinking, messages, context_management: { edits: EDITS.slice(0, 1) } }));
    expect(sent).not.toHaveProperty('context_management');
  });
});
