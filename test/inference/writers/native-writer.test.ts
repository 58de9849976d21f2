import { describe, expect, it } from 'vitest';
import { JsonText } from '../../../src/base/json/json-text.js';
import type { Usage } from '../../../src/formats/chat/types.js';
import { NativeEventWriter } from '../../../src/inference/messages/native-writer.js';
import type { NativeEvent } from '../../../src/inference/ports/adapter.js';

const USAGE = { completion_tokens: 7, cost: 0.5, is_byok: false, cost_details: {} } as unknown as Usage;

function native(value: Readonly<Record<string, unknown>>, text = JSON.stringify(value)): NativeEvent {
  return { type: 'native', event: new JsonText(text, value), normalized: [] };
}

function written(...events: readonly NativeEvent[]) {
  const writer = new NativeEventWriter({ id: 'msg_1', model: 'asked/for', requestId: 'request' });
  const out: JsonText[] = [];
  for (const event of events) writer.write(event, out);
  return { writer, out };
}

const valuesOf = (events: readonly JsonText[]) => events.map(({ value }) => value);

describe('the events of a native stream', () => {
  it('pass as the text that they came in', () => {
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'é' } };
    const text = '{"type":"content_block_delta", "index":0,"delta":{"type":"text_delta","text":"\\u00e9"}}';
    expect(written(native(delta, text)).out.map((event) => event.text)).toEqual([text]);
  });

  it('wait from the message’s end on, whose usage is told what it costs', () => {
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } };
    const { writer, out } = written(native(end), native({ type: 'ping' }), native({ type: 'message_stop' }));
    expect(out).toEqual([]);
    expect(valuesOf(writer.end(USAGE))).toEqual([
      { ...end, usage: { output_tokens: 3, cost: 0.5, is_byok: false, cost_details: {} } },
      { type: 'ping' },
      { type: 'message_stop' },
    ]);
  });

  it('end with the open block and the maximum reached where the answer is cut off', () => {
    const start = { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } };
    const { writer } = written(native(start));
    expect(valuesOf(writer.cutOff())).toEqual([{ type: 'content_block_stop', index: 2 }]);
    expect(valuesOf(writer.end(USAGE))).toMatchObject([
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 7, cost: 0.5 } },
      { type: 'message_stop' },
    ]);
  });
});
