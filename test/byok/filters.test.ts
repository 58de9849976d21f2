import { describe, expect, test } from 'vitest';
import { deduplicate } from '../../src/base/text.js';
import { callerFilterReason, filterReason } from '../../src/byok/filters.js';
import {
  filterViolations,
  hashesToResolve,
  unresolvedHashViolations,
} from '../../src/byok/keys/filter-rules.js';
import type { Filter } from '../../src/byok/types.js';

const hash = (digit: string) => digit.repeat(64);
const caller = { apiKeyHash: hash('a'), userId: 'user_1' };

function key(filters: { models?: Filter; hashes?: Filter; users?: Filter }) {
  return {
    allowedModels: filters.models ?? null,
    allowedApiKeyHashes: filters.hashes ?? null,
    allowedUserIds: filters.users ?? null,
  };
}
const resolved: Record<string, string> = { '~a/latest': 'a/two', 'two-slug': 'a/two' };
const resolveModelId = (name: string) => resolved[name] ?? name;

describe('a key is used only when all of its active filters match', () => {
  test.each([
    ['no filters', key({}), null],
    ['the model by id', key({ models: ['a/one', 'a/two'] }), null],
    ['the model by slug', key({ models: ['two-slug'] }), null],
    ['the model by alias', key({ models: ['~a/latest'] }), null],
    ['another model', key({ models: ['a/one'] }), 'key_model_filter'],
    ['no model at all', key({ models: [] }), 'key_model_filter'],
    ['the API key', key({ hashes: [hash('a')] }), null],
    ['another API key', key({ hashes: [hash('b')] }), 'key_api_key_filter'],
    ['the member', key({ users: ['user_1'] }), null],
    ['another member', key({ users: ['user_2'] }), 'key_member_filter'],
    ['no member at all', key({ users: [] }), 'key_member_filter'],
    ['the first that fails', key({ models: [], hashes: [hash('b')], users: [] }), 'key_model_filter'],
    [
      'the first that fails',
      key({ models: ['a/two'], hashes: [hash('b')], users: [] }),
      'key_api_key_filter',
    ],
  ])('%s', (_, filters, reason) => {
    expect(filterReason(filters, 'a/two', caller, resolveModelId)).toBe(reason);
  });

  test('is_byok_only only checks the API key and member filters', () => {
    expect(callerFilterReason(key({ models: [] }), caller)).toBeNull();
    expect(callerFilterReason(key({ hashes: [hash('b')] }), caller)).toBe('key_api_key_filter');
    expect(callerFilterReason(key({ users: [] }), caller)).toBe('key_member_filter');
  });
});

describe('the entries of a filter', () => {
  function violations(filters: { models?: Filter; hashes?: Filter; users?: Filter }): string[] {
    return filterViolations(key(filters)).map(({ field, rule }) => `${field} ${rule}`);
  }
  const many = (count: number) => Array.from({ length: count }, () => 'same');

  test('empty lists are legal for models and users, and not for hashes', () => {
    expect(violations({ models: [], users: [] })).toEqual([]);
    expect(violations({ hashes: [] })).toEqual(['allowed_api_key_hashes count']);
    expect(violations({})).toEqual([]);
  });

  test('the limit of 100 counts entries as sent, duplicates included', () => {
    expect(violations({ models: many(100), users: many(100) })).toEqual([]);
    expect(violations({ models: many(101), users: many(101), hashes: Array(101).fill(hash('a')) })).toEqual([
      'allowed_models count',
      'allowed_api_key_hashes count',
      'allowed_user_ids count',
    ]);
  });

  test('each hash has exactly 64 lower-case hexadecimal characters, and violations name the wrong ones', () => {
    const hashes = [
      hash('a'),
      hash('A'),
      hash('a').slice(1),
      `${hash('a')}0`,
      hash('g'),
      '',
      ` ${hash('b')}`,
    ];
    expect(violations({ hashes })).toEqual(
      [1, 2, 3, 4, 5, 6].map((i) => `allowed_api_key_hashes[${i}] pattern`),
    );
    expect(violations({ hashes: [`${hash('a')}\n`] })).toEqual(['allowed_api_key_hashes[0] pattern']);
  });

  test('entries have 1 to 256 characters', () => {
    expect(violations({ models: ['a', '', 'x'.repeat(257)], users: ['', 'x'.repeat(256)] })).toEqual([
      'allowed_models[1] length',
      'allowed_models[2] length',
      'allowed_user_ids[0] length',
    ]);
  });

  test('violations beyond the limit are not listed', () => {
    expect(violations({ models: Array(100_000).fill('') })).toHaveLength(101);
  });

  test('every well-formed hash must be live, and violations name the position of those that are not', () => {
    const hashes = [hash('a'), hash('b'), 'malformed', hash('b')];
    expect(hashesToResolve(hashes)).toEqual([hash('a'), hash('b')]);
    expect(
      unresolvedHashViolations(hashes, new Set([hash('a')])).map(({ field, rule }) => [field, rule]),
    ).toEqual([
      ['allowed_api_key_hashes[1]', 'live'],
      ['allowed_api_key_hashes[3]', 'live'],
    ]);
  });

  test('hashes beyond the limit are neither looked up nor reported', () => {
    const hashes = Array.from({ length: 101 }, (_, index) => index.toString(16).padStart(64, '0'));
    expect(hashesToResolve(hashes)).toEqual(hashes.slice(0, 100));
    expect(unresolvedHashViolations(hashes, new Set())).toHaveLength(100);
    expect(hashesToResolve(null)).toEqual([]);
    expect(unresolvedHashViolations(undefined, new Set())).toEqual([]);
  });

  test('duplicates collapse, in the order sent', () => {
    expect(deduplicate(['b', 'a', 'b'])).toEqual(['b', 'a']);
    expect(deduplicate(null)).toBeNull();
  });
});
