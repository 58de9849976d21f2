import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/base/problem.js';
import { CONTENT_CODINGS, type ContentCoding } from '../../src/http/content-coding.js';
import { DecodedBody } from '../../src/http/decoded-body.js';

type Encode = (bytes: Buffer) => Buffer;

const { zstdCompressSync = neverCalled } = zlib as { zstdCompressSync?: Encode };
const ENCODERS: Readonly<Record<ContentCoding, Encode>> = {
  gzip: zlib.gzipSync,
  br: zlib.brotliCompressSync,
  zstd: zstdCompressSync,
};

function neverCalled(): never {
  throw new Error('this Node has no Zstandard');
}

const LIMIT = 1024 * 1024;

async function decode(coding: ContentCoding, pieces: Buffer[], announced = Number.NaN): Promise<Buffer> {
  const body = new DecodedBody(Readable.from(pieces), { coding, limit: LIMIT, announced });
  return Buffer.concat(await body.toArray());
}

/** What it comes to: the text, or the rule that it breaks. */
const outcome = (coding: ContentCoding, pieces: Buffer[], announced?: number) =>
  decode(coding, pieces, announced).then(String, (thrown) =>
    thrown instanceof Problem ? thrown.violations[0]?.rule : thrown.code,
  );

const TEXT = '{"messages": [{"content": "Hello, é"}]}'.repeat(3);

describe.each(CONTENT_CODINGS)('a body coded with %s', (coding) => {
  const encode = ENCODERS[coding];
  const whole = encode(Buffer.from(TEXT));

  it('is decoded, wherever it is cut into pieces', async () => {
    for (let at = 0; at <= whole.length; at++) {
      expect(await outcome(coding, [whole.subarray(0, at), whole.subarray(at)])).toBe(TEXT);
    }
    expect(
      await outcome(
        coding,
        [...whole].map((byte) => Buffer.from([byte])),
      ),
    ).toBe(TEXT);
  });

  it('is refused wherever it ends too early', async () => {
    for (let length = 1; length < whole.length; length++) {
      expect(await outcome(coding, [whole.subarray(0, length)])).toBe('compression');
    }
  });

  it('is refused where anything else follows, in the same piece or in another', async () => {
    for (const rest of [
      Buffer.from('x'),
      Buffer.alloc(1),
      Buffer.alloc(9),
      Buffer.from('garbage'),
      whole.subarray(0, 5),
    ]) {
      expect(await outcome(coding, [whole, rest])).toBe('compression');
      expect(await outcome(coding, [Buffer.concat([whole, rest])])).toBe('compression');
    }
  });

  it('may be of several members, but for brotli, which has none', async () => {
    const expected = coding === 'br' ? 'compression' : TEXT + TEXT;
    expect(await outcome(coding, [whole, whole])).toBe(expected);
    expect(await outcome(coding, [Buffer.concat([whole, whole])])).toBe(expected);
  });

  it('is empty without a byte, as it is with none coded', async () => {
    expect(await outcome(coding, [])).toBe('');
    expect(await outcome(coding, [encode(Buffer.alloc(0))])).toBe('');
  });

  it('is refused where it is not as long as announced', async () => {
    expect(await outcome(coding, [whole], whole.length)).toBe(TEXT);
    for (const length of [whole.length - 1, whole.length + 1]) {
      expect(await outcome(coding, [whole], length)).toBe('FST_ERR_CTP_INVALID_CONTENT_LENGTH');
    }
  });

  it('is refused where it is too large before it is decoded', async () => {
    const empty = encode(Buffer.alloc(0));
    const pieces = Array.from({ length: 20 }, () => Buffer.alloc(64 * 1024, empty));
    const refused = coding === 'br' ? 'compression' : 'FST_ERR_CTP_BODY_TOO_LARGE';
    expect(
      await outcome(
        coding,
        pieces.map((piece) => piece.subarray(0, piece.length - (piece.length % empty.length))),
      ),
    ).toBe(refused);
  });

  it('is decoded no further than it is read', async () => {
    const payload = Readable.from([encode(Buffer.alloc(4 * LIMIT))]);
    const body = new DecodedBody(payload, { coding, limit: LIMIT, announced: Number.NaN });
    body.read(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(body.readableLength).toBeLessThan(LIMIT / 2);
    body.destroy();
    await new Promise(setImmediate);
    expect(payload.listenerCount('data')).toBe(0);
  });

  it('fails with its connection', async () => {
    const payload = new Readable({ read() {} });
    const body = new DecodedBody(payload, { coding, limit: LIMIT, announced: Number.NaN });
    payload.push(whole.subarray(0, 5));
    const read = body.toArray().catch(({ code }) => code);
    payload.destroy();
    expect(await read).toBe('FST_ERR_CTP_INVALID_CONTENT_LENGTH');
  });
});

it.skipIf(!CONTENT_CODINGS.includes('zstd'))('Zstandard has a window of at most 8 MiB', async () => {
  // A frame with nothing but an empty last block; the exponent of its window is in the upper bits of the sixth byte.
  const frame = (log: number) => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3, 1, 0, 0]);
  expect(await outcome('zstd', [frame(23)])).toBe('');
  expect(await outcome('zstd', [frame(24)])).toBe('compression');
});
