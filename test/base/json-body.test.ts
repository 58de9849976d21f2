import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyTooLarge, jsonBody, MAX_BODY_BYTES } from '../../src/base/json/json-body.js';

const PAD = 'x'.repeat(300_000);

describe('a JSON body', () => {
  it('is the result of JSON.stringify, as text', async () => {
    const value = { a: [1, null, 'x', { b: true }], c: undefined };
    expect(await jsonBody(value)).toBe(JSON.stringify(value));
  });

  it('is the same for a large value, as bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ withBigInt: false, maxDepth: 4 }).map(plain), async (any) => {
        const value = { pad: PAD, any, missing: undefined, list: [undefined, Number.NaN] };
        const bytes = await jsonBody(value);
        expect(typeof bytes).toBe('object');
        expect(Buffer.from(bytes as Uint8Array).toString()).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each(['a"\\\n\u0001', 'é', '漢', '😀', '\ud800', '\udc00x'])(
    'has long texts of %j intact, wherever their chunks end',
    async (unit) => {
      for (const pad of ['', 'a']) {
        const value = { [unit]: pad + unit.repeat(200_000) };
        expect(JSON.parse(Buffer.from((await jsonBody(value)) as Uint8Array).toString())).toEqual(value);
      }
    },
  );

  it('is refused where it becomes larger than what is sent to a provider, before it is whole', async () => {
    const text = '\u0000'.repeat(1_000_000);
    const copies = Math.ceil(MAX_BODY_BYTES / 6_000_000);
    await expect(jsonBody(Array.from({ length: copies }, () => text))).rejects.toThrow(BodyTooLarge);
    expect((await jsonBody(Array.from({ length: copies - 1 }, () => text))).length).toBeLessThan(
      MAX_BODY_BYTES,
    );
  });

  it('keeps a member named __proto__', async () => {
    const value = JSON.parse(`{"__proto__":{"x":1},"pad":"${PAD}"}`);
    expect(Buffer.from((await jsonBody(value)) as Uint8Array).toString()).toBe(JSON.stringify(value));
  });
});

/** Bodies contain only what JSON can express. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}
