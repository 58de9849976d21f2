import { describe, expect, it } from 'vitest';
import { GetGenerationRequestSchema } from '../../gen/byway/v1/generations_pb.js';
import { ListKeysRequestSchema } from '../../gen/byway/v1/keys_pb.js';
import {
  ArenaEntrySchema,
  ListUserModelsRequestSchema,
  ModelReasoningSchema,
} from '../../gen/byway/v1/models_pb.js';
import { queryReader } from '../../src/protobuf/query.js';

const readKeys = queryReader(ListKeysRequestSchema.fields, { ignoresUnknown: false });
const readModels = queryReader(ListUserModelsRequestSchema.fields, { ignoresUnknown: true });

function faults(search: string, read = readKeys): string[] {
  const result = read(search);
  return result.ok ? [] : result.violations.map(({ field, rule }) => `${field} ${rule}`);
}

describe('a query string (spec 4.1, interface section 4)', () => {
  it('is typed by the request message', () => {
    expect(readKeys('offset=5&limit=10&include_disabled=true&workspace_id=a%20b')).toEqual({
      ok: true,
      values: { offset: 5, limit: 10, includeDisabled: true, workspaceId: 'a b' },
    });
    expect(readKeys('')).toEqual({ ok: true, values: {} });
  });

  it('counts empty and null as omitted where the parameter is optional', () => {
    expect(readModels('offset=&limit=null')).toEqual({ ok: true, values: {} });
    const readGeneration = queryReader(GetGenerationRequestSchema.fields, { ignoresUnknown: false });
    expect(readGeneration('id=')).toEqual({ ok: true, values: { id: '' } });
  });

  it('names all faults at once', () => {
    const search = 'offset=1.0&limit=ten&include_disabled=1&limt=5&workspace_id=a&workspace_id=b';
    expect(faults(search)).toEqual([
      'offset type',
      'limit type',
      'include_disabled type',
      'limt unknown',
      'workspace_id repeated',
    ]);
    expect(faults('offset=99999999999')).toEqual([]);
    expect(faults('offset=+5')).toEqual(['offset type']);
    expect(faults('offset=1e2')).toEqual(['offset type']);
    expect(faults('__proto__=1&constructor=2')).toEqual(['__proto__ unknown', 'constructor unknown']);
  });

  it('may name what it does not know where the method says so, but not twice what it knows', () => {
    expect(faults('utm_source=x&limit=5', readModels)).toEqual([]);
    expect(faults('limit=5&limit=5', readModels)).toEqual(['limit repeated']);
  });

  it('reads numbers and enums strictly', () => {
    const read = queryReader(
      [ArenaEntrySchema.field.elo, ModelReasoningSchema.field.defaultEffort].filter((f) => f !== undefined),
      { ignoresUnknown: false },
    );
    expect(read('elo=-1.5e3&default_effort=high')).toEqual({
      ok: true,
      values: { elo: -1500, defaultEffort: 3 },
    });
    expect(faults('elo=0x10&default_effort=hi', read)).toEqual(['elo type', 'default_effort enum']);
    expect(faults('elo=Infinity', read)).toEqual(['elo type']);
  });

  it('cannot set a message', () => {
    const field = ModelReasoningSchema.field.supportedEfforts;
    expect(() =>
      queryReader(
        [field].filter((f) => f !== undefined),
        { ignoresUnknown: false },
      ),
    ).toThrow(/models\.proto/);
  });
});
