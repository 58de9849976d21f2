import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HealthState, RouteSchema, RouteSection } from '../../gen/byway/v1/routing_pb.js';
import { renderRoute } from '../../src/cli/output/route-table.js';
import { tableLines } from '../../src/cli/output/table.js';

const route = create(RouteSchema, {
  attempts: [
    {
      position: 0,
      provider: 'amazon-bedrock',
      providerName: 'Amazon Bedrock',
      model: 'anthropic/claude-opus-4',
      endpoint: 'amazon-bedrock/anthropic/claude-opus-4@eu-west-1',
      region: 'eu-west-1',
      isByok: true,
      byokKeyId: '0b5f4c1e-0000-4000-8000-000000000001',
      byokLabel: 'AKI...XYZ',
      section: RouteSection.PRIORITIZED,
      price: { prompt: '0.000015', completion: '0.000075' },
      health: { state: HealthState.COOLING, until: '2026-01-02T03:04:05.000Z' },
    },
    {
      position: 1,
      provider: 'anthropic',
      providerName: 'Anthropic',
      model: 'anthropic/claude-opus-4',
      endpoint: 'anthropic/anthropic/claude-opus-4',
      isByok: false,
      section: RouteSection.SHARED,
      price: { prompt: '0.0000151', completion: '0' },
      health: { state: HealthState.OK },
    },
  ],
  excluded: [
    {
      provider: 'azure',
      byokKeyId: '0b5f4c1e-0000-4000-8000-000000000002',
      reason: 'key_no_endpoint',
      detail: 'azure has no endpoint for anthropic/claude-opus-4, whatever the key, the region and the day.',
    },
  ],
  excludedCounts: { key_no_endpoint: 1 },
  unknownProviders: ['opnai'],
});

describe('byway explain prints the route as a table', () => {
  it('aligned, within 100 columns, and plain without a terminal', () => {
    const text = renderRoute(route, { colour: false });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(text).toMatchInlineSnapshot(`
      "Attempts (2)
      #  section      endpoint                      region     key        USD/M     health
      0  prioritized  amazon-bedrock/anthropic/cl…  eu-west-1  AKI...XYZ  15 / 75   cooling until 03:04:05
      1  shared       anthropic/anthropic/claude-…  global     -          15.1 / 0  ok

      Excluded (1)
      endpoint  key       reason           detail
      azure     0b5f4c1e  key_no_endpoint  azure has no endpoint for anthropic/claude-opus-4, whatever the
                                           key, the region and the day.

      Unknown providers
      opnai
      "
    `);
  });

  it('with titles set off on a terminal', () => {
    const coloured = renderRoute(route, { colour: true });
    expect(coloured).toContain('\u001b[1mAttempts (2)\u001b[0m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(renderRoute(route, { colour: false }));
  });

  it('says so when there is nothing', () => {
    const text = renderRoute(create(RouteSchema), { colour: false });
    expect(text).toBe('Attempts (0)\nnone\n\nExcluded (0)\nnone\n');
  });
});

describe('a table', () => {
  it('never exceeds its width, never loses a word of its last column, and keeps control characters out', () => {
    const cell = fc.string({ maxLength: 80 });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell)), (rows) => {
        const lines = tableLines(['a', 'b', 'c'], rows, 60);
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
        expect(lines.join('')).not.toMatch(/\p{Cc}/u);
        const letters = (text: string) => text.replace(/\s/g, '').length;
        const letterCount = rows.reduce((sum, row) => sum + letters(row[2]), 0);
        expect(letters(lines.join(''))).toBeGreaterThanOrEqual(letterCount);
      }),
    );
  });
});
