import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UpstreamFailure } from '../../../src/inference/ports/failure.js';
import {
  type Frame,
  FrameSplitter,
  MAX_FRAME_BYTES,
} from '../../../src/providers/amazon-bedrock/host/event-stream.js';
import { encodeBytes, encodeFrame, textHeader } from '../../support/fakes/fake-bedrock/frames.js';

/** A real frame, written by the service's own codec. */
const KNOWN =
  '0000007a00000051ca2c46650b3a6576656e742d7479706507000b6d65737361676553746f700d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b2273746f70526561736f6e223a22656e645f7475726e227d5fbf09fc';

function read(chunks: Iterable<Uint8Array>): { frames: Frame[]; thrown: unknown; isInside: boolean } {
  const splitter = new FrameSplitter();
  const frames: Frame[] = [];
  let thrown: unknown;
  try {
    for (const chunk of chunks) {
      splitter.push(chunk);
      for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) frames.push(frame);
    }
  } catch (error) {
    thrown = error;
  }
  return { frames, thrown, isInside: splitter.isInside };
}

function* cut(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  let start = 0;
  for (let turn = 0; start < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

const textsOf = (frames: readonly Frame[]) => frames.map(({ payload }) => JSON.parse(payload.toString()));

const payloads = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 6 });
const sizes = fc
  .array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 6 })
  .map((all) => [...all, 1]);

describe('the frames of an event stream', () => {
  it('are read as the service writes them', async () => {
    const { frames } = read([Buffer.from(KNOWN, 'hex')]);
    expect(frames).toHaveLength(1);
    expect(Object.fromEntries(frames[0]?.headers ?? [])).toEqual({
      ':event-type': 'messageStop',
      ':content-type': 'application/json',
      ':message-type': 'event',
    });
    expect(textsOf(frames)).toEqual([{ stopReason: 'end_turn' }]);
    const written = encodeFrame({ event: 'messageStop', payload: { stopReason: 'end_turn' } });
    expect(written.toString('hex')).toBe(KNOWN);
  });

  it('are the same however their bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(payloads, sizes, async (values, pieces) => {
        const bytes = Buffer.concat(values.map((value) => encodeFrame({ event: 'x', payload: { value } })));
        const { frames, thrown } = read(cut(bytes, pieces));
        expect(thrown).toBeUndefined();
        expect(textsOf(frames)).toEqual(values.map((value) => JSON.parse(JSON.stringify({ value }))));
      }),
    );
  });

  it('may have any type of header, of which only strings are read', async () => {
    const values: [number, number][] = [
      [0, 0],
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 4],
      [5, 8],
      [8, 8],
      [9, 16],
    ];
    const others = values.map(([type, size]) =>
      Buffer.concat([Buffer.from([1, 0x61, type]), Buffer.alloc(size)]),
    );
    const blob = Buffer.from([1, 0x62, 6, 0, 2, 7, 7]);
    const headers = Buffer.concat([...others, blob, textHeader([':event-type', 'Zürich'])]);
    const { frames } = read([encodeBytes(headers, Buffer.from('{}'))]);
    expect([...(frames[0]?.headers ?? [])]).toEqual([[':event-type', 'Zürich']]);
  });

  it('may be long', async () => {
    const payload = 'é🙂'.repeat(500_000);
    const { frames } = read(cut(encodeFrame({ event: 'x', payload }), [64 * 1024]));
    expect(textsOf(frames)[0] === payload).toBe(true);
  });
});

describe('bytes that are no frames end the stream and nothing else', () => {
  const good = encodeFrame({ event: 'contentBlockDelta', payload: { delta: { text: 'Hello' } } });

  it('one changed bit anywhere is noticed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: good.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        sizes,
        async (place, change, pieces) => {
          const bytes = Buffer.from(good);
          bytes[place] = (bytes[place] ?? 0) ^ change;
          const { frames, thrown } = read(cut(Buffer.concat([good, bytes, good]), pieces));
          expect(frames).toHaveLength(1);
          expect(thrown).toMatchObject({ kind: 'upstream_error', error: 'malformed' });
        },
      ),
    );
  });

  it('any bytes at all end in frames or in a failure of the provider', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), sizes, async (bytes, pieces) => {
        const { thrown, isInside } = read(cut(Buffer.from(bytes), pieces));
        if (bytes.length > 0 && !isInside) expect(thrown).toBeInstanceOf(UpstreamFailure);
      }),
    );
  });

  it('any bytes in the place of headers do too, with sound checksums around them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
        const { frames, thrown } = read([encodeBytes(Buffer.from(bytes), Buffer.from('{}'))]);
        if (thrown === undefined) expect(frames).toHaveLength(1);
        else expect(thrown).toMatchObject({ error: 'malformed' });
      }),
    );
  });

  it.each([1, 11, 12, 15, good.length - 1])('an end after %i bytes of a frame is noticed', async (length) => {
    const { frames, isInside } = read([good, good.subarray(0, length)]);
    expect(frames).toHaveLength(1);
    expect(isInside).toBe(true);
  });

  it('a frame beyond the limit is refused by its prelude', async () => {
    const announced = encodeBytes(Buffer.alloc(0), Buffer.alloc(MAX_FRAME_BYTES - 15));
    const { thrown } = read([announced.subarray(0, 12)]);
    expect(thrown).toMatchObject({ error: 'malformed' });
    const { frames } = read([encodeBytes(Buffer.alloc(0), Buffer.alloc(MAX_FRAME_BYTES - 16))]);
    expect(frames).toHaveLength(1);
  });
});
