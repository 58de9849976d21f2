import { describe, expect, it } from 'vitest';
import { distinctTexts, textKey } from '../../src/base/text.js';
import { runToEnd } from '../../src/base/time-slices.js';
import type { ChatMessage } from '../../src/formats/chat/types.js';
import { isStrict } from '../../src/formats/messages/output-config.js';
import { betasOf } from '../../src/providers/anthropic/chat/host-members.js';
import { toolMembers } from '../../src/providers/anthropic/chat/tools.js';
import { traitsOf } from '../../src/providers/anthropic/host/model.js';
import { withAllowedTools } from '../../src/providers/common/allowed-tools.js';
import { conversationOf } from '../../src/providers/google-vertex/chat/gemini/conversation.js';
import { readArgumentsAndResults } from '../../src/providers/google-vertex/chat/gemini/nested.js';

/** As many as fit a body, of one length and the same beginning: V8 gives them one hash. */
const LONG = Array.from({ length: 1_800 }, (_, index) =>
  Buffer.from(`${'n'.repeat(16_400)}${String(index).padStart(6, '0')}`).toString(),
);

/** Told apart by comparing each with each they take many seconds, by their hashes some tenths of one. */
const MAX_MS = 2_500;

function cpuMsOf(work: () => unknown): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const callsOf = (ids: readonly string[]): ChatMessage[] => [{ role: 'assistant', tool_calls: ids.map(call) }];

/** Whatever looks up texts of a request by themselves. */
const LOOKUPS: Readonly<Record<string, () => unknown>> = {
  'distinct texts': () => distinctTexts(LONG),
  'tools that are allowed': () =>
    withAllowedTools({
      messages: [],
      tools: LONG.map((name) => ({ type: 'function', function: { name } })),
      tool_choice: { type: 'allowed_tools', tools: LONG.map((name) => ({ function: { name } })) },
    }),
  'tools that were used': () =>
    toolMembers(
      { messages: [] },
      [{ role: 'assistant', content: LONG.map((name) => ({ type: 'tool_use', name })) }],
      traitsOf('claude-haiku-4-5'),
    ),
  'calls of Gemini': () => {
    const messages = callsOf(LONG);
    conversationOf(messages, 'gemini-2.5-flash', runToEnd(readArgumentsAndResults({ messages })));
  },
  'properties that are required': () =>
    isStrict({ type: 'object', required: LONG, additionalProperties: false }),
  'beta features': () => betasOf({ messages: [], betas: LONG }),
};

describe('thousands of long texts of one length', () => {
  it.each(Object.entries(LOOKUPS))('are told apart at once: %s', (_, look) => {
    expect(cpuMsOf(look)).toBeLessThan(MAX_MS);
  });

  it('would take long without', () => {
    expect(cpuMsOf(() => new Set(LONG.slice(0, 900)))).toBeGreaterThan(100);
  });
});

describe('the key of a text', () => {
  it('is the text, or the hash of a long one', () => {
    expect(textKey('a')).toBe('a');
    expect(textKey('a'.repeat(5_000))).toMatch(/^[0-9a-f]{64}$/);
    expect(distinctTexts(['b', 'a', 'b', ...LONG.slice(0, 2), LONG[0] ?? ''])).toEqual([
      'b',
      'a',
      ...LONG.slice(0, 2),
    ]);
  });
});
