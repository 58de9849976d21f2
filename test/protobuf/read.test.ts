import type { DescMessage, JsonValue } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { ByokKeySchema, CreateByokKeyRequestSchema } from '../../gen/byway/v1/byok_pb.js';
import { ChatRequestSchema } from '../../gen/byway/v1/chat_pb.js';
import { LimitReset } from '../../gen/byway/v1/common_pb.js';
import { CreateKeyRequestSchema, KeySchema } from '../../gen/byway/v1/keys_pb.js';
import { ModelReasoningSchema, ModelSchema, ReasoningEffort } from '../../gen/byway/v1/models_pb.js';
import { MAX_DEPTH } from '../../src/base/json/bounded/depth.js';
import { readMessage } from '../../src/protobuf/read.js';
import { MAX_VIOLATIONS } from '../../src/protobuf/violations.js';

function violationsOf(desc: DescMessage, json: JsonValue): string[] {
  const result = readMessage(desc, json);
  return result.ok ? [] : result.violations.map(({ field, rule }) => `${field} ${rule}`);
}

function messageOf<Desc extends DescMessage>(desc: Desc, json: JsonValue) {
  const result = readMessage(desc, json);
  if (!result.ok) throw new Error(JSON.stringify(result.violations));
  return result;
}

describe('an update of an API key', () => {
  it('tells omitted, null and a value apart', () => {
    const { message, present } = messageOf(KeySchema, { limit: null, limit_reset: 'daily' });
    expect(present).toEqual(['limit', 'limit_reset']);
    expect(message.limit).toBeUndefined();
    expect(message.limitReset).toBe(LimitReset.DAILY);
    expect(message.name).toBeUndefined();
    expect(messageOf(KeySchema, {}).present).toEqual([]);
  });

  it('rejects null for name, disabled and include_byok_in_limit', () => {
    const body = { name: null, disabled: null, include_byok_in_limit: null, limit: null, limit_reset: null };
    expect(violationsOf(KeySchema, body)).toEqual([
      'name not_null',
      'disabled not_null',
      'include_byok_in_limit not_null',
    ]);
  });

  it('names every wrong type at once, in REST spelling, and coerces nothing', () => {
    const body = { name: 7, disabled: 'true', limit: '5', limit_reset: 'yearly', include_byok_in_limit: 1 };
    expect(violationsOf(KeySchema, body)).toEqual([
      'name type',
      'disabled type',
      'limit type',
      'limit_reset enum',
      'include_byok_in_limit type',
    ]);
  });

  it('names an unknown member and the nearest known one', () => {
    const result = readMessage(KeySchema, { limt: 5, __proto__x: 1 });
    expect(result.ok ? [] : result.violations[0]).toEqual({
      field: 'limt',
      rule: 'unknown',
      message: 'unknown member; did you mean limit?',
    });
  });

  it('refuses members that only answers have', () => {
    expect(violationsOf(KeySchema, { hash: 'x', usage: 0, label: null })).toEqual([
      'hash read_only',
      'usage read_only',
      'label read_only',
    ]);
  });

  it('has no word for the zero value of an enum', () => {
    expect(violationsOf(KeySchema, { limit_reset: 'unspecified' })).toEqual(['limit_reset enum']);
    expect(violationsOf(KeySchema, { limit_reset: 1 })).toEqual(['limit_reset type']);
  });

  it('refuses numbers that no message can hold', () => {
    expect(violationsOf(KeySchema, JSON.parse('{"limit":1e999}'))).toEqual(['limit range']);
    expect(violationsOf(ByokKeySchema, { sort_order: 1.5 })).toEqual(['sort_order type']);
    expect(violationsOf(ByokKeySchema, { sort_order: 2 ** 31 })).toEqual(['sort_order range']);
    expect(violationsOf(ModelSchema, { created: -1 })).toEqual(['created range']);
  });

  it('refuses text that is not Unicode', () => {
    expect(violationsOf(KeySchema, JSON.parse('{"name":"\\ud800"}'))).toEqual(['name type']);
  });
});

describe('a BYOK key', () => {
  it('tells an omitted, a cleared, an empty and a filled filter apart', () => {
    const { message, present } = messageOf(ByokKeySchema, {
      allowed_models: null,
      allowed_user_ids: [],
      allowed_api_key_hashes: ['h'],
    });
    expect(present).toEqual(['allowed_models', 'allowed_user_ids', 'allowed_api_key_hashes']);
    expect(message.allowedModels).toBeUndefined();
    expect(message.allowedUserIds?.values).toEqual([]);
    expect(message.allowedApiKeyHashes?.values).toEqual(['h']);
  });

  it('names the invalid entry of a list', () => {
    expect(violationsOf(ByokKeySchema, { allowed_models: ['a', 1, null], allowed_user_ids: 'u' })).toEqual([
      'allowed_models[1] type',
      'allowed_models[2] type',
      'allowed_user_ids type',
    ]);
  });

  it('accepts null only for declared_zdr among the booleans', () => {
    const { message, present } = messageOf(ByokKeySchema, { declared_zdr: null, name: null });
    expect(present).toEqual(['declared_zdr', 'name']);
    expect(message.declaredZdr).toBeUndefined();
    expect(violationsOf(ByokKeySchema, { is_fallback: null, sort_order: null, key: null })).toEqual([
      'is_fallback not_null',
      'sort_order not_null',
      'key not_null',
    ]);
  });

  it('accepts a credential as text, object or array', () => {
    const body = (key: JsonValue) => ({ provider: 'azure', key });
    expect(messageOf(CreateByokKeyRequestSchema, body('{ "a": 1 }')).message.key).toBe('{ "a": 1 }');
    expect(messageOf(CreateByokKeyRequestSchema, body({ region: 'x' })).message.key).toBe('{"region":"x"}');
    expect(messageOf(CreateByokKeyRequestSchema, body([{ a: 1 }])).message.key).toBe('[{"a":1}]');
    expect(violationsOf(CreateByokKeyRequestSchema, body(5))).toEqual(['key type']);
    expect(violationsOf(CreateByokKeyRequestSchema, { provider: null, key: null })).toEqual([
      'provider not_null',
      'key not_null',
    ]);
  });
});

describe('a chat request', () => {
  it('keeps the members that it does not name', () => {
    const { message, present } = messageOf(ChatRequestSchema, {
      model: 'a/b',
      messages: [{ role: 'user', content: 'hi', cache_control: { type: 'ephemeral' } }],
      seed: 7,
      logit_bias: null,
    });
    expect(message.extra).toEqual({ seed: 7, logit_bias: null });
    expect(message.messages[0]?.extra).toEqual({ cache_control: { type: 'ephemeral' } });
    expect(present).toEqual(['model', 'messages']);
  });

  it('refuses unknown members of provider', () => {
    const body = {
      messages: [],
      provider: { oder: ['x'], order: ['a', 2], zdr: 'yes', sort: 'fast', max_price: { prompt: true } },
    };
    expect(violationsOf(ChatRequestSchema, body)).toEqual([
      'provider.oder unknown',
      'provider.order[1] type',
      'provider.zdr type',
      'provider.sort enum',
      'provider.max_price.prompt type',
    ]);
  });

  it('tells the forms of a union by their JSON type', () => {
    const { message } = messageOf(ChatRequestSchema, {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'u' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: null },
      ],
      stop: ['x', 'y'],
      tool_choice: { type: 'function' },
      provider: { max_price: { prompt: 1.5, completion: '2' } },
    });
    const [first, second] = message.messages;
    expect(first?.content?.form).toMatchObject({
      case: 'parts',
      value: { values: [{ type: 'text', text: 'a' }, {}] },
    });
    expect(second?.content).toBeUndefined();
    expect(second?.toolCalls).toEqual([]);
    expect(message.stop?.form).toMatchObject({ case: 'texts', value: { values: ['x', 'y'] } });
    expect(message.toolChoice?.form).toEqual({ case: 'tool', value: { type: 'function' } });
    expect(message.provider?.maxPrice?.prompt?.form).toEqual({ case: 'number', value: 1.5 });
    expect(message.provider?.maxPrice?.completion?.form).toEqual({ case: 'text', value: '2' });
    const result = readMessage(ChatRequestSchema, { messages: [{ role: 'user', content: 5 }], stop: [1] });
    expect(result.ok ? [] : result.violations).toEqual([
      { field: 'messages[0].content', rule: 'type', message: 'must be a string or an array' },
      { field: 'stop[0]', rule: 'type', message: 'must be a string' },
    ]);
  });

  it('keeps a member named __proto__ as data and pollutes nothing', () => {
    const body = JSON.parse(
      '{"messages":[],"__proto__":{"polluted":1},"response_format":{"__proto__":{"polluted":1}}}',
    );
    const { message } = messageOf(ChatRequestSchema, body);
    expect(Object.keys(message.extra ?? {})).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(message.extra)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(message)).not.toHaveProperty('polluted');
    expect(violationsOf(KeySchema, JSON.parse('{"__proto__":{"name":"x"},"constructor":1}'))).toEqual([
      '__proto__ unknown',
      'constructor unknown',
    ]);
  });

  it('limits the nesting of free-form JSON', () => {
    const nested = (depth: number): JsonValue => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
    expect(violationsOf(ChatRequestSchema, { response_format: nested(MAX_DEPTH) })).toEqual([]);
    expect(
      violationsOf(ChatRequestSchema, { response_format: nested(MAX_DEPTH + 1), other: nested(100_000) }),
    ).toEqual(['response_format depth', 'other depth']);
    expect(violationsOf(CreateByokKeyRequestSchema, { provider: 'p', key: nested(5000) })).toEqual([
      'key depth',
    ]);
  });
});

describe('reading in general', () => {
  it('refuses a body that is not an object', () => {
    for (const json of [null, [], 'x', 1, true]) expect(violationsOf(KeySchema, json)).toEqual([' type']);
  });

  it('reads null as a value of the enums that have it', () => {
    const { message } = messageOf(ModelReasoningSchema, {
      default_effort: null,
      supported_efforts: ['max', null],
    });
    expect(message.defaultEffort).toBe(ReasoningEffort.NULL);
    expect(message.supportedEfforts?.values).toEqual([ReasoningEffort.MAX, ReasoningEffort.NULL]);
  });

  it('treats members that the path sets as unknown in the body', () => {
    const result = readMessage(
      CreateKeyRequestSchema,
      { name: 'n', limit: 1 },
      { without: new Set(['limit']) },
    );
    expect(result.ok ? [] : result.violations.map(({ field, rule }) => `${field} ${rule}`)).toEqual([
      'limit unknown',
    ]);
  });

  it('starts paths at the given one', () => {
    const result = readMessage(KeySchema, { nam: 1 }, { path: 'data[2]' });
    expect(result.ok ? [] : result.violations[0]?.field).toBe('data[2].nam');
  });

  it('lists a limited number of violations, however many there are', () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 1]));
    expect(violationsOf(KeySchema, body)).toHaveLength(MAX_VIOLATIONS);
    const [violation] = violationsOf(KeySchema, { ['n'.repeat(5000)]: 1 });
    expect(violation?.length).toBeLessThan(200);
  });
});
