import {
  type DescField,
  type DescMessage,
  type DescMethod,
  fromJsonString,
  type JsonValue,
} from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchService } from '../../gen/byway/v1/batches_pb.js';
import { ChatService } from '../../gen/byway/v1/chat_pb.js';
import { GuardrailService } from '../../gen/byway/v1/guardrails_pb.js';
import { Problem } from '../../src/base/problem.js';
import { replaceEnumWords } from '../../src/protobuf/enum-words.js';

const { createChatCompletion } = ChatService.method;
const { createBatch } = BatchService.method;
const { createGuardrail } = GuardrailService.method;

function restated(method: DescMethod, json: string): string {
  const request = JSON.parse(json);
  replaceEnumWords(method, request);
  return JSON.stringify(request);
}

function violations(method: DescMethod, json: string) {
  try {
    replaceEnumWords(method, JSON.parse(json));
  } catch (error) {
    if (error instanceof Problem)
      return error.violations.map(({ field, rule, message }) => [field, rule, message]);
    throw error;
  }
  return [];
}

describe('words for enums in proto JSON', () => {
  it.each([
    ['a word of REST', '{"dataCollection":"deny"}', '{"dataCollection":"DATA_COLLECTION_DENY"}'],
    ['beside other members', '{"name":"a\\"}","resetInterval" : "weekly" ,"limitUsd":1}', null],
    ['under the name in the proto file', '{"reset_interval":"daily"}', null],
    ['spelled with escapes', '{"\\u0072esetInterval":"\\u0064aily"}', null],
  ])('%s is read', (_, json, expected) => {
    const read = restated(createGuardrail, json);
    if (expected !== null) expect(read).toBe(expected);
    expect(read).toMatch(/LIMIT_RESET_(WEEKLY|DAILY)|DATA_COLLECTION_DENY/);
    expect(() => fromJsonString(createGuardrail.input, read)).not.toThrow();
  });

  it('in messages within messages, and in lists', () => {
    const chat = '{"chat":{"model":"m","provider":{"dataCollection":"deny","sort":"price"}}}';
    expect(restated(createChatCompletion, chat)).toBe(
      '{"chat":{"model":"m","provider":{"dataCollection":"DATA_COLLECTION_DENY","sort":"PROVIDER_SORT_PRICE"}}}',
    );
  });

  it('are refused where they are neither, all of them, by their paths in REST spelling', () => {
    expect(violations(createGuardrail, '{"dataCollection":"denied","resetInterval":"WEEKLY"}')).toEqual([
      ['reset_interval', 'enum', 'must be one of daily, weekly, monthly'],
      ['data_collection', 'enum', 'must be one of allow, deny'],
    ]);
    expect(violations(createChatCompletion, '{"chat":{"provider":{"sort":"cheap"}}}')).toEqual([
      ['provider.sort', 'enum', 'must be one of price, throughput, latency'],
    ]);
  });

  it('nothing is changed where none has to be replaced', () => {
    for (const json of [
      '{"dataCollection":"DATA_COLLECTION_DENY","dataRegion":"deny"}',
      '{}',
      '[1]',
      '"deny"',
    ])
      expect(restated(createGuardrail, json)).toBe(json);
  });

  it('a value that is not a word at an enum is left to the reader', () => {
    for (const value of ['2', 'null', '["deny"]', '{"deny":"deny"}', 'true']) {
      const json = `{"dataCollection":${value},"name":"n"}`;
      expect(restated(createGuardrail, json)).toBe(json);
    }
  });

  it('free-form JSON is left as it is, whatever its members are called', () => {
    const json = '{"chat":{"tools":[{"function":{"parameters":{"sort":"cheap","provider":{"sort":"x"}}}}]}}';
    expect(restated(createChatCompletion, json)).toBe(json);
  });

  it('any JSON is passed without an error other than a Problem', () => {
    const methods = [createChatCompletion, createBatch, createGuardrail];
    const members = fc.constantFrom('sort', 'provider', 'chat', 'dataCollection', 'x');
    const json = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom<JsonValue>('deny', 'x', 1, null, true),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(members, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(json, fc.constantFrom(...methods), (request, method) => {
        expect(violations(method, JSON.stringify(request))).toBeInstanceOf(Array);
      }),
      { numRuns: 2_000 },
    );
  });

  it('words are found wherever the type of the message has an enum', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(createChatCompletion, createBatch, createGuardrail),
        fc.integer(),
        (method, seed) => {
          const [json, found] = sample(method.input, seed);
          const read = JSON.parse(restated(method, JSON.stringify(json)));
          expect(enumWordsIn(method.input, read)).toEqual(found);
        },
      ),
      { numRuns: 50 },
    );
  });
});

/** JSON of a message with a REST word at every enum, and their names in the proto file in the order of the text. */
function sample(desc: DescMessage, seed: number): [JsonValue, string[]] {
  const names: string[] = [];
  const wordOf = (field: DescField, depth: number): JsonValue | undefined => {
    if (field.enum !== undefined) {
      const values = field.enum.values.filter(({ number }) => number > 0);
      const value = values[Math.abs(seed) % values.length];
      if (value === undefined) return undefined;
      names.push(value.name);
      return value.name.toLowerCase().slice(field.enum.sharedPrefix?.length ?? 0);
    }
    if (field.message === undefined || depth > 5 || field.message.typeName.startsWith('google.'))
      return undefined;
    return objectOf(field.message, depth + 1);
  };
  const objectOf = (message: DescMessage, depth: number): JsonValue => {
    const members = message.fields
      .filter(({ oneof }) => oneof === undefined)
      .flatMap((field): [string, JsonValue][] => {
        const value = wordOf(field, depth);
        if (value === undefined) return [];
        return [[seed % 2 === 0 ? field.name : field.jsonName, field.fieldKind === 'list' ? [value] : value]];
      });
    return Object.fromEntries(members);
  };
  return [objectOf(desc, 0), names];
}

function enumWordsIn(desc: DescMessage, json: JsonValue): string[] {
  const known = new Set<string>();
  const visit = (message: DescMessage, seen: ReadonlySet<DescMessage>) => {
    if (seen.has(message)) return;
    for (const field of message.fields) {
      for (const { name } of field.enum?.values ?? []) known.add(name);
      if (field.message !== undefined) visit(field.message, new Set([...seen, message]));
    }
  };
  visit(desc, new Set());
  const words: string[] = [];
  const walk = (value: JsonValue) => {
    if (typeof value === 'string' && known.has(value)) words.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  walk(json);
  return words;
}
