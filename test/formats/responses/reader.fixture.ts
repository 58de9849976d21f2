import { expect } from 'vitest';
import { readResponses } from '../../../src/formats/responses/reader.js';
import type { ResponsesBody } from '../../../src/formats/responses/types.js';

export function read(more: Partial<ResponsesBody> = {}) {
  return readResponses({ model: 'm', input: 'Hello', ...more });
}

/** The chat that a request without faults becomes. */
export function chatOf(more: Partial<ResponsesBody>) {
  const { chat, violations, nativeOnly } = read(more);
  expect({ violations, nativeOnly }).toEqual({ violations: [], nativeOnly: [] });
  return chat;
}

/** The messages of a chat with these items as its input. */
export function messagesOf(...input: unknown[]) {
  return chatOf({ input }).messages;
}

export function user(text: string) {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

export function said(text: string) {
  return { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] };
}

export function called(call_id: string, name = 'look', json = '{}') {
  return { type: 'function_call', id: `fc_${call_id}`, call_id, name, arguments: json, status: 'completed' };
}

export function result(call_id: string, output: unknown = 'done') {
  return { type: 'function_call_output', call_id, output };
}

/** A call of a chat. */
export function call(id: string, name = 'look', json = '{}') {
  return { id, type: 'function', function: { name, arguments: json } };
}
