import type { Rng } from './rng.js';

const HEADS = {
  png: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  jpeg: Buffer.from('ffd8ffe000104a464946000101000001', 'hex'),
  gif: Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00', 'latin1'),
  webp: Buffer.from('RIFF\x24\x00\x00\x00WEBPVP8 ', 'latin1'),
  pdf: Buffer.from('%PDF-1.7\n1 0 obj\n', 'latin1'),
  wav: Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt ', 'latin1'),
  mp3: Buffer.from('ID3\x03\x00\x00\x00\x00\x00\x21', 'latin1'),
} as const;

export type MediaKind = keyof typeof HEADS;

/** Bytes in base64 that begin as files of this kind do, and are like no others. */
export function base64(rng: Rng, kind: MediaKind): string {
  return Buffer.concat([HEADS[kind], Buffer.from(rng.hex(48), 'hex')]).toString('base64');
}

export function imageUrl(rng: Rng): string {
  return `https://pictures.example/${rng.hex(8)}.png`;
}
