import { describe, expect, it } from 'vitest';
import { isUuid, systemIds } from '../../src/base/ids.js';

describe('record identifiers', () => {
  it('are UUIDs of version 7 in the RFC 9562 variant, all different', () => {
    const made = Array.from({ length: 1_000 }, () => systemIds.uuid());
    expect(made.filter((id) => !isUuid(id))).toEqual([]);
    expect(made.filter((id) => !/^.{14}7.{4}[89ab]/.test(id))).toEqual([]);
    expect(new Set(made).size).toBe(made.length);
  });

  it('begin with the time, so that later ones sort behind', () => {
    const before = Date.now();
    const id = systemIds.uuid();
    const after = Date.now();
    const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(after);
  });
});
