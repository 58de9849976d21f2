import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteCollector } from '../../src/base/memory/byte-collector.js';

const steps = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 20 }).map((add) => ({ add, take: undefined })),
    fc.nat(30).map((take) => ({ add: undefined, take })),
  ),
);

describe('bytes that come in pieces', () => {
  it('are what was added, in its order, without what was taken', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const collected = new ByteCollector();
        let expected = Buffer.alloc(0);
        const kept: [seen: Buffer, then: string][] = [];
        for (const { add, take } of all) {
          if (add !== undefined) {
            collected.add(add);
            expected = Buffer.concat([expected, add]);
          } else {
            const bytes = Math.min(take, expected.length);
            expect(collected.take(bytes)).toEqual(expected.subarray(0, bytes));
            expected = expected.subarray(bytes);
          }
          expect(collected.length).toBe(expected.length);
          expect(collected.bytes).toEqual(expected);
          kept.push([collected.bytes, collected.bytes.toString('hex')]);
        }
        for (const [seen, then] of kept) expect(seen.toString('hex')).toBe(then);
      }),
    );
  });

  it('take at most twice their memory, however small the pieces are', () => {
    const collected = new ByteCollector();
    const one = Buffer.from('a');
    const before = process.memoryUsage();
    for (let piece = 0; piece < 4_000_000; piece += 1) collected.add(one);
    const after = process.memoryUsage();
    expect(after.heapUsed - before.heapUsed).toBeLessThan(32e6);
    expect(collected.bytes.buffer.byteLength).toBeLessThanOrEqual(8_000_000);
  });
});
