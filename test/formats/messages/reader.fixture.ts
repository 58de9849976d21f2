import { expect } from 'vitest';
import { readMessages } from '../../../src/formats/messages/reader.js';
import type { MessagesBody } from '../../../src/formats/messages/types.js';

export const BODY: MessagesBody = {
  model: 'm',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Hello' }],
};

export const MARK = { cache_control: { type: 'ephemeral', ttl: '1h' } };

export function read(more: Partial<MessagesBody> = {}) {
  return readMessages({ ...BODY, ...more });
}

/** The chat that a request without faults becomes. */
export function chatOf(more: Partial<MessagesBody>) {
  const { chat, violations } = read(more);
  expect(violations).toEqual([]);
  return chat;
}

/** The messages of a chat in which the user says these blocks. */
export function said(...blocks: unknown[]) {
  return chatOf({ messages: [{ role: 'user', content: blocks }] }).messages;
}
