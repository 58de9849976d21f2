/** Requests to `/messages` that nest: marks, inputs, names, blocks within blocks. */
import { HELLO, list, type Nested } from './nested.js';
import { many } from './wire.js';

const unsigned = (json: string) => `bw1.${Buffer.from(json).toString('base64url')}`;
const signed = (json: string) => `bw2.${'A'.repeat(22)}.${Buffer.from(json).toString('base64url')}`;
const thoughts = (...content: readonly object[]) => ({
  messages: [HELLO, { role: 'assistant', content: [...content, { type: 'text', text: 'x' }] }, HELLO],
});
const crowd = (count: number) => `[${many(count, () => '{}')}]`;

/** By what is nested. */
export const NESTED_MESSAGES: Readonly<Record<string, Nested>> = {
  'an unsigned mark of objects': {
    pieceBytes: 4,
    members: (n) => thoughts({ type: 'thinking', thinking: '', signature: unsigned(crowd(n)) }),
  },
  'a mark of objects': {
    pieceBytes: 4,
    members: (n) => thoughts({ type: 'redacted_thinking', data: signed(crowd(n)) }),
  },
  'marks of 256 KiB': {
    pieceBytes: 262_144,
    members: (n) => thoughts(...list(n, () => ({ type: 'redacted_thinking', data: signed(crowd(65_000)) }))),
  },
  'small marks': {
    pieceBytes: 70,
    max: 40_000,
    members: (n) => thoughts(...list(n, () => ({ type: 'redacted_thinking', data: signed('[]') }))),
  },
  'input of lists': {
    pieceBytes: 3,
    max: 49_000,
    members: (n) => thoughts({ type: 'tool_use', id: 'c', name: 'f', input: { a: list(n, () => []) } }),
  },
  'input of texts': {
    pieceBytes: 1,
    members: (n) => thoughts({ type: 'tool_use', id: 'c', name: 'f', input: { a: 'x'.repeat(n) } }),
  },
  'results of lists in a text': {
    pieceBytes: 3,
    members: (n) => ({
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c', content: `[${many(n, () => '[]')}]` }],
        },
      ],
    }),
  },
  'reminders amid the conversation': {
    pieceBytes: 40,
    max: 40_000,
    members: (n) => ({ messages: [HELLO, ...list(n, () => ({ role: 'system', content: 'x' }))] }),
  },
  'long names of tools': {
    pieceBytes: 3_100,
    max: 9_000,
    members: (n) => ({
      messages: [HELLO],
      tools: list(n, (i) => ({ name: `${'n'.repeat(3_000)}${i}`, input_schema: { type: 'object' } })),
    }),
  },
  'one long name of a tool': {
    pieceBytes: 1,
    members: (n) => ({
      messages: [HELLO],
      tools: [{ name: 'n'.repeat(n), input_schema: { type: 'object' } }],
    }),
  },
  'a long name of the user': {
    pieceBytes: 1,
    members: (n) => ({ messages: [HELLO], metadata: { user_id: 'x'.repeat(n) } }),
  },
  'long names of members': {
    pieceBytes: 3_020,
    max: 9_900,
    members: (n) => ({
      messages: [HELLO],
      ...Object.fromEntries(list(n, (i) => [`${'k'.repeat(3_000)}${i}`, 1])),
    }),
  },
  'blocks of a type of their own': {
    pieceBytes: 30,
    max: 45_000,
    members: (n) => ({
      messages: [{ role: 'user', content: list(n, (i) => ({ type: `t${i}`, text: 'x' })) }],
    }),
  },
  'a document of blocks': {
    pieceBytes: 30,
    max: 45_000,
    members: (n) => ({
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'content', content: list(n, () => ({ type: 'text', text: 'x' })) },
            },
          ],
        },
      ],
    }),
  },
};
