import { expect, it } from 'vitest';
import { ZstdFrames } from '../../src/http/zstd-frames.js';

/** A frame of each kind (RFC 8878 section 3.1), with what is no block left out of account. */
const TEXT = Buffer.from('{"model":"demo/echo"}');
const RAW = Buffer.concat([Buffer.from([(TEXT.length << 3) | 1, 0, 0]), TEXT]);
const MAGIC = Buffer.from('28b52ffd', 'hex');
const SINGLE = Buffer.concat([MAGIC, Buffer.from([0x24, TEXT.length]), RAW, Buffer.from('00000000', 'hex')]);
const WINDOW = Buffer.concat([MAGIC, Buffer.from([0x00, 0x58]), RAW]);
const SIZED = Buffer.concat([MAGIC, Buffer.from([0xe3]), Buffer.alloc(4 + 8), RAW]);
const RLE = Buffer.concat([MAGIC, Buffer.from([0x00, 0x58, 0x02, 0x10, 0x00, 0x61, 0x03, 0x00, 0x00, 0x62])]);
const SKIPPABLE = Buffer.from('5f2a4d1803000000aabbcc', 'hex');

const FRAMES = { SINGLE, WINDOW, SIZED, RLE, SKIPPABLE };

it.each(Object.entries(FRAMES))('%s ends with its last byte, however it comes', (_, frame) => {
  for (let cut = 1; cut < frame.length; cut++) {
    const frames = new ZstdFrames();
    expect(frames.split(frame.subarray(0, cut))).toEqual([frame.subarray(0, cut)]);
    expect(frames.isComplete).toBe(false);
    expect(frames.split(frame.subarray(cut))).toEqual([frame.subarray(cut)]);
    expect(frames.isComplete).toBe(true);
  }
});

it('frames in one piece are cut where they end', () => {
  const all = Object.values(FRAMES);
  const frames = new ZstdFrames();
  expect(frames.split(Buffer.concat(all))).toEqual(all);
  expect(frames.isComplete).toBe(true);
});

it('what begins as no frame does is none', () => {
  expect(new ZstdFrames().split(Buffer.from('garbage'))).toBeUndefined();
  expect(new ZstdFrames().split(Buffer.concat([SINGLE, Buffer.alloc(4)]))).toBeUndefined();
});

it('less than a magic number after a frame is the beginning of another', () => {
  const frames = new ZstdFrames();
  expect(frames.split(Buffer.concat([SINGLE, Buffer.from([0x28])]))).toEqual([SINGLE, Buffer.from([0x28])]);
  expect(frames.isComplete).toBe(false);
});
