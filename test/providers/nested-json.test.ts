import { describe, expect, it } from 'vitest';
import { INFERENCE_LIMITS } from '../../src/base/json/bounded/structure.js';
import { exactJson } from '../../src/base/json/json-body.js';
import { runToEnd } from '../../src/base/time-slices.js';
import type { ChatBody, ChatMessage } from '../../src/formats/chat/types.js';
import { UpstreamFailure } from '../../src/inference/ports/failure.js';
import { readConversation as anthropicConversation } from '../../src/providers/anthropic/chat/conversation.js';
import { argumentsOf, type ReadNested, readArguments } from '../../src/providers/common/nested-json.js';
import { conversationOf as geminiConversation } from '../../src/providers/google-vertex/chat/gemini/conversation.js';
import { readArgumentsAndResults } from '../../src/providers/google-vertex/chat/gemini/nested.js';

const { containers, values, names, numbers = 0 } = INFERENCE_LIMITS;

function call(text: unknown) {
  return { id: 'c', type: 'function', function: { name: 'f', arguments: text as string } };
}

function assistant(...texts: readonly unknown[]): ChatMessage {
  return { role: 'assistant', tool_calls: texts.map(call) };
}

function result(text: string): ChatMessage {
  return { role: 'tool', tool_call_id: 'c', content: text };
}

function many(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join(',');
}

/** Texts that have too much of one thing each. */
const TOO_MUCH: Readonly<Record<string, string>> = {
  lists: `{"a":[${many(containers + 1, () => '[]')}]}`,
  objects: `{"a":[${many(containers + 1, () => '{}')}]}`,
  elements: `{"a":[${many(values + 1, () => 'null')}]}`,
  numbers: `{"a":[${many(numbers + 1, () => '1')}]}`,
  'members of one name': `[${many(values / 4 + 1, () => '{"a":1,"b":1,"c":1}')}]`,
  names: `{${many(names + 1, (index) => `"k${index}":1`)}}`,
  'lists in lists': `{"a":${'['.repeat(65)}${']'.repeat(65)}}`,
  'thousands of lists in lists': `{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`,
  'objects in objects': `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`,
};

function refusalOf(read: () => unknown): UpstreamFailure {
  try {
    read();
  } catch (thrown) {
    if (thrown instanceof UpstreamFailure) return thrown;
    throw thrown;
  }
  throw new Error('was read');
}

describe('arguments of calls that a host takes as JSON', () => {
  it.each(Object.entries(TOO_MUCH))('are refused with too much (%s), by each reading', (_, text) => {
    for (const read of [readArguments, readArgumentsAndResults]) {
      const failure = refusalOf(() => runToEnd(read({ messages: [assistant(text)] })));
      expect(failure).toMatchObject({ kind: 'invalid_request', isPenalised: false });
      expect(failure.message).toMatch(/objects and lists|numbers|members|names|deeper than 64/);
    }
  });

  it('count into one budget, however they are spread over calls and messages', () => {
    const half = `{"a":[${many(containers / 2, () => '[]')}]}`;
    const together = { messages: [assistant(half, half)] };
    const apart = { messages: [assistant(half), result('x'), assistant(half)] };
    expect(() => runToEnd(readArguments({ messages: [assistant(half)] }))).not.toThrow();
    for (const body of [together, apart]) refusalOf(() => runToEnd(readArguments(body)));
  });

  it.each([
    ['tools', (list: unknown) => ({ tools: [{ type: 'function', function: { parameters: list } }] })],
    ['unknown members', (list: unknown) => ({ zzz: list })],
    ['a schema', (list: unknown) => ({ response_format: { type: 'json_schema', json_schema: list } })],
  ])('count together with the request around them: %s', (_, beside) => {
    const text = `{"a":[${many(containers / 2, () => '[]')}]}`;
    const messages = () => [assistant(text)];
    const filled = Array.from({ length: containers / 2 }, () => ({}));
    expect(() => runToEnd(readArguments({ messages: messages(), ...beside([]) } as ChatBody))).not.toThrow();
    refusalOf(() => runToEnd(readArguments({ messages: messages(), ...beside(filled) } as ChatBody)));
  });

  it('are read once for all attempts, whose bodies share the messages', () => {
    const messages = [assistant('{"a":1}')];
    const first = runToEnd(readArguments({ messages, model: 'a' }));
    expect(runToEnd(readArguments({ messages, model: 'b' }))).toBe(first);
  });

  it('yield to other work where they are long', () => {
    const text = `{"a":"${'x'.repeat(8 * 1024 * 1024)}","b":[${many(40_000, () => '[]')}]}`;
    let slices = 0;
    for (const _ of readArguments({ messages: [assistant(text)] })) slices += 1;
    expect(slices).toBeGreaterThan(50);
  });

  it.each([
    ['{"a":1}', { a: 1 }],
    ['  {"a":1} ', { a: 1 }],
    ['', {}],
    [' ', {}],
    [undefined, {}],
    [null, {}],
    [{ a: 1 }, { a: 1 }],
    ['[1]', undefined],
    ['{"a":', undefined],
    ['no JSON', undefined],
  ])('%j are the object %j', (given, expected) => {
    const message = assistant(given);
    const nested = runToEnd(readArguments({ messages: [message] }));
    expect(argumentsOf(message.tool_calls?.[0] ?? {}, nested)).toEqual(expected);
  });

  it('are what JSON.parse gives, whether they are few or many', () => {
    const small = JSON.stringify({ a: [1, { b: 'é\n' }], c: null });
    const large = JSON.stringify({ text: '漢"\\'.repeat(50_000), list: [[], {}, 1.5, true] });
    for (const text of [small, large]) {
      const message = assistant(text);
      const nested = runToEnd(readArguments({ messages: [message] }));
      expect(argumentsOf(message.tool_calls?.[0] ?? {}, nested)).toEqual(JSON.parse(text));
    }
  });
});

describe('results of tools that Gemini takes as JSON', () => {
  const responseOf = (text: string) => {
    const messages = [{ role: 'user', content: 'Look' }, assistant('{}'), result(text)];
    const nested = runToEnd(readArgumentsAndResults({ messages }));
    const { contents } = geminiConversation(messages, 'gemini-2.5-flash', nested);
    const [, , answer] = contents as { parts: { functionResponse: { response: object } }[] }[];
    return answer?.parts[0]?.functionResponse.response;
  };

  it('are sent as the text that they are where they have too much', () => {
    for (const text of Object.values(TOO_MUCH)) expect(responseOf(text)).toEqual({ output: text });
  });

  it.each([
    ['{"a":1}', { a: 1 }],
    ['[1]', { output: [1] }],
    ['null', { output: 'null' }],
    ['words', { output: 'words' }],
    ['', { output: '' }],
  ])('%j are sent as %j', (text, expected) => {
    expect(responseOf(text)).toEqual(expected);
  });
});

describe('little input that would become much output', () => {
  const conversation = (messages: readonly ChatMessage[], read: ReadNested = readArgumentsAndResults) =>
    JSON.stringify(geminiConversation(messages, 'gemini-3-pro', runToEnd(read({ messages }))));

  it('a signature that many calls name by one id is sent once', () => {
    const data = 's'.repeat(10_000);
    const reasoning_details = [{ type: 'reasoning.encrypted', data, id: 'c', format: 'google-gemini-v1' }];
    const message = { ...assistant(...Array.from({ length: 100 }, () => '{}')), reasoning_details };
    expect(conversation([message]).split(data)).toHaveLength(2);
  });

  it('a long name of a tool, which each of its results repeats, is refused', () => {
    const named = { ...call('{}'), function: { name: 'n'.repeat(10_000), arguments: '{}' } };
    const messages = [
      { role: 'assistant', tool_calls: [named] },
      ...Array.from({ length: 100 }, () => result('x')),
    ];
    expect(refusalOf(() => conversation(messages)).kind).toBe('invalid_request');
  });

  it('long ids of calls become short ones, which stay different and fit their results', () => {
    const ids = ['!'.repeat(1_000_000), `${'!'.repeat(1_000_000)}?`];
    const messages = ids.flatMap((id) => [
      { role: 'assistant', tool_calls: [{ ...call('{}'), id }] },
      { role: 'tool', tool_call_id: id, content: 'x' },
    ]);
    const sent = JSON.stringify(anthropicConversation(messages, new Map()).turns);
    const [first, firstResult, second, secondResult] = [...sent.matchAll(/"(?:tool_use_)?id":"(\w+)"/g)].map(
      ([, id]) => id,
    );
    expect(sent.length).toBeLessThan(2_000);
    expect([firstResult, secondResult]).toEqual([first, second]);
    expect(first).not.toBe(second);
  });
});

describe('integers beyond 2^53 in a text', () => {
  const LARGE = '{"id":9007199254740993,"at":[18446744073709551616,-1]}';

  it('keep all their digits, in arguments and in results', () => {
    const messages = [assistant(LARGE), result('12345678901234567890')];
    const { contents } = geminiConversation(
      messages,
      'gemini-2.5-pro',
      runToEnd(readArgumentsAndResults({ messages })),
    );
    const sent = exactJson(contents);
    expect(sent).toContain(`"args":${LARGE}`);
    expect(sent).toContain('"response":{"output":12345678901234567890}');
  });

  it('keep them in texts that are long, too', () => {
    const text = `{"id":9007199254740993,"all":[${many(values / 2, () => '1')}]}`;
    const body = { messages: [assistant(text)] } as Partial<ChatBody> as ChatBody;
    const [value] = runToEnd(readArguments(body)).values();
    expect(exactJson(value).slice(0, 30)).toBe(text.slice(0, 30));
  });
});
