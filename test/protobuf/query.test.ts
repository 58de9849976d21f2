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

function violations(search: string, read = readKeys): string[] {
  const result = read(search);
  return result.ok ? [] : result.violations.map(({ field, rule }) => `${field} ${rule}`);
}

describe('a query string', () => {
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

  it('names all violations at once', () => {
    const search = 'offset=1.0&limit=ten&include_disabled=1&limt=5&workspace_id=a&workspace_id=b';
    expect(violations(search)).toEqual([
      'offset type',
      'limit type',
      'include_disabled type',
      'limt unknown',
      'workspace_id repeated',
    ]);
    expect(violations('offset=99999999999')).toEqual([]);
    expect(violations('offset=+5')).toEqual(['offset type']);
    expect(violations('offset=1e2')).toEqual(['offset type']);
    expect(violations('__proto__=1&constructor=2')).toEqual(['__proto__ unknown', 'constructor unknown']);
  });

  it('may have unknown parameters where the method allows them, but known ones only once', () => {
    expect(violations('utm_source=x&limit=5', readModels)).toEqual([]);
    expect(violations('limit=5&limit=5', readModels)).toEqual(['limit repeated']);
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
    expect(violations('elo=0x10&default_effort=hi', read)).toEqual(['elo type', 'default_effort enum']);
    expect(violations('elo=Infinity', read)).toEqual(['elo type']);
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
