import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { LARGE_BYTES } from '../../src/http/body.js';
import { DecodedBody } from '../../src/http/decoded-body.js';
import { LargeBody } from '../../src/http/large-body.js';
import { collectBytes } from '../../src/http/read-bytes.js';

const TWO_PIECES = LARGE_BYTES + 1;

const held: LargeBody[] = [];

afterEach(() => {
  for (const body of held.splice(0)) body.release();
});

/** Holds bodies of an account until one is refused; how many it could. */
function fill(account: string): number {
  for (let count = 0; ; count++) {
    const body = new LargeBody(account);
    try {
      body.grow(TWO_PIECES);
    } catch {
      return count;
    }
    held.push(body);
  }
}

function empty(): void {
  for (const body of held.splice(0)) body.release();
}

function unread(): Readable {
  return new Readable({ read: () => undefined });
}

/** Of so many bytes as their header announces, to be refused before they come, or in the middle of them. */
const ENDINGS: readonly (readonly [how: string, end: (account: string) => Promise<unknown>])[] = [
  [
    'there is room for some of them',
    (account) => {
      fill(account);
      held.pop()?.release();
      return collectBytes(unread(), String(5 * LARGE_BYTES), 8 * LARGE_BYTES, account);
    },
  ],
  [
    'there is room for some of what they become when they are decompressed',
    (account) => {
      fill(account);
      held.pop()?.release();
      const payload = Readable.from([gzipSync(Buffer.alloc(5 * LARGE_BYTES))]);
      const coded = { coding: 'gzip', limit: 8 * LARGE_BYTES, announced: Number.NaN } as const;
      return collectBytes(new DecodedBody(payload, coded), undefined, 8 * LARGE_BYTES, account);
    },
  ],
  [
    'their connection is lost in the middle',
    (account) => {
      const payload = unread();
      payload.push(Buffer.alloc(1024));
      setImmediate(() => payload.destroy());
      return collectBytes(payload, String(5 * LARGE_BYTES), 8 * LARGE_BYTES, account);
    },
  ],
  [
    'their connection was lost before they are read',
    (account) => collectBytes(unread().destroy(), String(5 * LARGE_BYTES), 8 * LARGE_BYTES, account),
  ],
];

it.each(ENDINGS)('bodies hold nothing where %s', async (_, end) => {
  const room = fill('account');
  empty();
  for (let again = 0; again < 3; again++) {
    await expect(end('account')).rejects.toThrow();
    empty();
  }
  expect(fill('account')).toBe(room);
});

it('a body gives back what it did not become', () => {
  const room = fill('account');
  empty();
  const body = new LargeBody('account');
  held.push(body);
  body.grow(7 * LARGE_BYTES);
  body.shrinkTo(3 * LARGE_BYTES);
  body.shrinkTo(5 * LARGE_BYTES);
  body.shrinkTo(1);
  expect(body.isHeld).toBe(false);
  expect(fill('account')).toBe(room);
});
