import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListActivityResponseSchema } from '../../gen/byway/v1/accounts_pb.js';
import { BatchSchema, ListBatchesResponseSchema } from '../../gen/byway/v1/batches_pb.js';
import { StringListSchema } from '../../gen/byway/v1/common_pb.js';
import { GenerationSchema, ProviderResponseSchema } from '../../gen/byway/v1/generations_pb.js';
import { messageWriters } from '../../src/protobuf/write.js';
import { columnsOf, csvHeader, csvLine, csvPage, rowsOf } from '../../src/rest/csv.js';
import { csvRecords, readCsv } from '../support/csv.js';

const NO_ALIASES = new Map<string, readonly string[]>();
const writeGeneration = messageWriters(NO_ALIASES)(GenerationSchema);
const generationColumns = columnsOf(GenerationSchema, NO_ALIASES);

function generationIn(init: Parameters<typeof create<typeof GenerationSchema>>[1]): Record<string, string> {
  const record = writeGeneration(create(GenerationSchema, init));
  const [read] = csvRecords(csvHeader(generationColumns) + csvLine(generationColumns, record));
  return read ?? {};
}

describe('CSV of records', () => {
  it('has a column for each scalar member, and one with JSON for each list', () => {
    expect(readCsv(csvHeader(generationColumns))).toEqual([GenerationSchema.fields.map(({ name }) => name)]);
    const adapted = { values: ['tools, "all"'] };
    expect(
      generationIn({ streamed: true, omitted: ['a,b'], providerResponses: [{ provider: 'p', adapted }] }),
    ).toMatchObject({
      streamed: 'true',
      cancelled: 'false',
      omitted: '["a,b"]',
      provider_responses: expect.stringContaining('"adapted":["tools, \\"all\\""]'),
      session_id: '',
    });
    const wrapped = columnsOf(ProviderResponseSchema, NO_ALIASES).map(({ path }) => path.join('.'));
    expect(wrapped).toEqual(ProviderResponseSchema.fields.map(({ name }) => name));
  });

  it('names the members of objects by a dot', () => {
    const columns = columnsOf(BatchSchema, NO_ALIASES);
    const record = messageWriters(NO_ALIASES)(BatchSchema)(
      create(BatchSchema, { id: 'b', requestCounts: { total: 3, completed: 2 } }),
    );
    expect(csvRecords(csvHeader(columns) + csvLine(columns, record))).toEqual([
      expect.objectContaining({ id: 'b', 'request_counts.total': '3', 'request_counts.completed': '2' }),
    ]);
  });

  it('has the operator’s aliases of members as columns beside them', () => {
    const aliases = new Map([['usage', ['cost']]]);
    const record = messageWriters(aliases)(GenerationSchema)(create(GenerationSchema, { usage: 0.25 }));
    const columns = columnsOf(GenerationSchema, aliases);
    expect(csvRecords(csvHeader(columns) + csvLine(columns, record))).toEqual([
      expect.objectContaining({ usage: '0.25', cost: '0.25' }),
    ]);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])(
    'a text that begins as a formula does is no formula: %j',
    (sessionId) => {
      expect(generationIn({ sessionId }).session_id).toBe(`'${sessionId}`);
    },
  );

  it('numbers are as in JSON, negative ones too', () => {
    expect(generationIn({ usage: -0.5, byokFee: 1e-9, tokensPrompt: 12 })).toMatchObject({
      usage: '-0.5',
      byok_fee: '1e-9',
      tokens_prompt: '12',
    });
  });

  it('is read as it was written, whatever texts hold', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', ';', "'", 'é', '=') });
    fc.assert(
      fc.property(text, text, (model, id) => {
        const read = generationIn({ model, id });
        const guarded = (value: string) => (/^[=\r]/.test(value) ? `'${value}` : value);
        expect([read.model, read.id]).toEqual([guarded(model), guarded(id)]);
      }),
    );
  });
});

describe('CSV of a page', () => {
  const columns = columnsOf(rowsOf(ListActivityResponseSchema), NO_ALIASES);

  it('has no column for a member that no row has', () => {
    const rows = [
      { model: 'm', requests: 1 },
      { model: 'n', requests: 2 },
    ];
    expect(csvPage(columns, rows)).toBe('model,requests\r\nm,1\r\nn,2\r\n');
  });

  it('without rows has the columns that every row has', () => {
    const [header = [], ...rows] = readCsv(csvPage(columns, []));
    expect(rows).toEqual([]);
    expect(header).toContain('requests');
    expect(header).not.toContain('model');
  });

  it('needs a page of records', () => {
    expect(rowsOf(ListBatchesResponseSchema)).toBe(BatchSchema);
    expect(() => rowsOf(GenerationSchema)).toThrow(/csv needs a list of records named data/);
    expect(() => columnsOf(StringListSchema, NO_ALIASES)).toThrow(/has no members to be columns/);
  });
});
