import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByokKeySchema } from '../../gen/byway/v1/byok_pb.js';
import { ChatRequestSchema } from '../../gen/byway/v1/chat_pb.js';
import { KeySchema } from '../../gen/byway/v1/keys_pb.js';
import { readMessage } from '../../src/protobuf/read.js';
import { writeMessage } from '../../src/protobuf/write.js';

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const texts = fc.array(text, { maxLength: 4 });
const amount = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);

function optional<T>(members: Record<string, fc.Arbitrary<T>>) {
  return fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
}

const keyUpdate = optional<JsonValue>({
  name: text,
  disabled: fc.boolean(),
  limit: fc.option(amount),
  limit_reset: fc.constantFrom('daily', 'weekly', 'monthly', null),
  include_byok_in_limit: fc.boolean(),
});

const byokUpdate = optional<JsonValue>({
  name: fc.option(text),
  disabled: fc.boolean(),
  is_fallback: fc.boolean(),
  declared_zdr: fc.option(fc.boolean()),
  allowed_models: fc.option(texts),
  allowed_api_key_hashes: fc.option(texts),
  allowed_user_ids: fc.option(texts),
  sort_order: fc.nat(),
});

const anyJson = fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.parse(JSON.stringify(json)) as JsonValue);
const struct = fc.dictionary(text, anyJson, { maxKeys: 3 }) as fc.Arbitrary<JsonObject>;

const chatMessage = fc
  .tuple(
    optional<JsonValue>({
      content: fc.oneof(text, fc.array(fc.record({ type: text, text }), { maxLength: 3 }), fc.constant(null)),
      name: text,
      tool_call_id: text,
      tool_calls: fc.array(optional<JsonValue>({ id: text, index: fc.nat() }), {
        minLength: 1,
        maxLength: 2,
      }),
      audio: struct,
    }),
    text,
  )
  .map(([members, role]) => ({ role, ...members }));

const chatRequest = optional<JsonValue>({
  model: text,
  models: texts,
  messages: fc.array(chatMessage, { maxLength: 3 }),
  provider: optional<JsonValue>({
    order: texts,
    allow_fallbacks: fc.boolean(),
    data_collection: fc.constantFrom('allow', 'deny'),
    max_price: optional<JsonValue>({ prompt: amount, completion: text }),
  }),
  stream: fc.boolean(),
  temperature: amount,
  stop: fc.oneof(text, texts),
  tool_choice: fc.oneof(text, struct),
  response_format: struct,
  x_seed: fc.integer(),
  x_other: anyJson,
});

describe('reading and writing are inverse', () => {
  it('for every update of an API key', () => {
    fc.assert(
      fc.property(keyUpdate, (json) => {
        const result = readMessage(KeySchema, json);
        if (!result.ok) throw new Error(JSON.stringify(result.violations));
        expect([...result.present].sort()).toEqual(Object.keys(json).sort());
        expect(writeMessage(KeySchema, result.message)).toMatchObject(json);
      }),
    );
  });

  it('for every update of a BYOK key', () => {
    fc.assert(
      fc.property(byokUpdate, (json) => {
        const result = readMessage(ByokKeySchema, json);
        if (!result.ok) throw new Error(JSON.stringify(result.violations));
        expect([...result.present].sort()).toEqual(Object.keys(json).sort());
        expect(writeMessage(ByokKeySchema, result.message)).toMatchObject(json);
      }),
    );
  });

  it('for every chat request, unknown members included', () => {
    fc.assert(
      fc.property(chatRequest, (json) => {
        const result = readMessage(ChatRequestSchema, json);
        if (!result.ok) throw new Error(JSON.stringify(result.violations));
        const written = withoutNulls(writeMessage(ChatRequestSchema, result.message));
        expect(withoutNulls(json)).toEqual({ ...emptyLists(json), ...(written as object) });
      }),
    );
  });

  it('and no JSON at all makes reading throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        for (const desc of [KeySchema, ByokKeySchema, ChatRequestSchema])
          readMessage(desc, json as JsonValue);
      }),
    );
  });
});

/** Lists that are empty, which are not written at all. */
function emptyLists(json: object): object {
  return Object.fromEntries(
    Object.entries(json).filter(([, value]) => Array.isArray(value) && value.length === 0),
  );
}

/** A copy without members that are null: an answer shows them for what is unset. */
function withoutNulls(json: JsonValue): JsonValue {
  if (Array.isArray(json)) return json.map(withoutNulls);
  if (json === null || typeof json !== 'object') return json;
  const entries = Object.entries(json).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutNulls(value)]));
}
