/** How many pixels an image has, by the beginning of its base64 text, which alone is decoded. */
import { imageTypeOf } from './image-type.js';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Cameras put up to some 100 KB of metadata before a JPEG's size. */
const MAX_HEADER_BYTES = 128 * 1024;

/** Chunks of a PNG, segments of a JPEG, blocks of a GIF: cameras and editors write some 20. */
const MAX_READS = 64;

/**
 * The size of a PNG, JPEG, WebP or GIF as a decoder reads it; null for all else, and wherever decoders may differ: text
 * that is not strictly base64 up to the size, a header that is cut, damaged, or longer than 128 KiB or 64 pieces.
 */
export function imageSizeOf(base64: string): ImageSize | null {
  const read = READERS[imageTypeOf(base64, '')];
  const size = read?.(new Header(base64)) ?? null;
  return size === null || size.width === 0 || size.height === 0 ? null : size;
}

/** Whether all of it is base64: what decoders may skip, such as a line break, would move all that follows. */
function isBase64(text: string): boolean {
  const { length } = Buffer.from(text, 'base64');
  return length === (text.length / 4) * 3 && !text.includes('-') && !text.includes('_');
}

/** The first bytes of an image. */
class Header {
  readonly #text: string;
  #checked = 0;
  #reads = 0;

  constructor(base64: string) {
    this.#text = base64;
  }

  /** null = not there, or too much was read before. */
  at(offset: number, length: number): Buffer | null {
    this.#reads += 1;
    if (this.#reads > MAX_READS || offset + length > MAX_HEADER_BYTES) return null;
    const end = Math.ceil((offset + length) / 3) * 4;
    if (end > this.#checked) {
      if (!isBase64(this.#text.slice(this.#checked, end))) return null;
      this.#checked = end;
    }
    const bytes = Buffer.from(this.#text.slice(Math.floor(offset / 3) * 4, end), 'base64');
    const part = bytes.subarray(offset % 3, (offset % 3) + length);
    return part.length === length ? part : null;
  }
}

const READERS: Readonly<Record<string, (header: Header) => ImageSize | null>> = {
  'image/png': pngSize,
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
  'image/gif': gifSize,
};

/** https://www.w3.org/TR/png-3/#11IHDR: the first chunk, and no further one before the pixels: some decoders take the last. */
function pngSize(header: Header): ImageSize | null {
  const first = header.at(8, 16);
  if (first?.toString('latin1', 4, 8) !== 'IHDR' || first.readUInt32BE(0) !== 13) return null;
  let offset = 33;
  for (;;) {
    const chunk = header.at(offset, 8);
    const type = chunk?.toString('latin1', 4, 8);
    if (!chunk || type === 'IHDR') return null;
    if (type === 'IDAT') return { width: first.readUInt32BE(8), height: first.readUInt32BE(12) };
    offset += 12 + chunk.readUInt32BE(0);
  }
}

/** https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2: segments up to the first frame header. */
function jpegSize(header: Header): ImageSize | null {
  let offset = 2;
  for (;;) {
    const segment = header.at(offset, 4);
    if (segment?.[0] !== 0xff) return null;
    const marker = segment[1] ?? 0;
    if (marker === 0xff) {
      // A fill byte.
      offset += 1;
      continue;
    }
    if (isFrameHeader(marker)) {
      const frame = header.at(offset + 5, 4);
      return frame && { width: frame.readUInt16BE(2), height: frame.readUInt16BE(0) };
    }
    const length = segment.readUInt16BE(2);
    if (!hasLength(marker) || length < 2) return null;
    offset += 2 + length;
  }
}

/** All of SOF0 to SOF15 but DHT, JPG and DAC, which stand among them. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Tables, comments and what applications add: neither the scan itself nor a marker that stands alone. */
function hasLength(marker: number): boolean {
  if (marker >= 0xe0) return marker <= 0xef || marker === 0xfe;
  return marker === 0xc4 || marker === 0xcc || marker === 0xdb || marker === 0xdd;
}

/** https://www.rfc-editor.org/rfc/rfc9649: the first chunk says what the image is. */
function webpSize(header: Header): ImageSize | null {
  const chunk = header.at(12, 18);
  if (chunk === null) return null;
  switch (chunk.toString('latin1', 0, 4)) {
    case 'VP8X':
      return { width: chunk.readUIntLE(12, 3) + 1, height: chunk.readUIntLE(15, 3) + 1 };
    case 'VP8L': {
      const bits = chunk.readUInt32LE(9);
      return chunk[8] === 0x2f ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : null;
    }
    case 'VP8 ':
      if (chunk.toString('hex', 11, 14) !== '9d012a') return null;
      return { width: chunk.readUInt16LE(14) & 0x3fff, height: chunk.readUInt16LE(16) & 0x3fff };
    default:
      return null;
  }
}

/** https://www.w3.org/Graphics/GIF/spec-gif89a.txt: the screen, or the first frame where it is beyond it. */
function gifSize(header: Header): ImageSize | null {
  const screen = header.at(6, 5);
  if (screen === null) return null;
  const flags = screen[4] ?? 0;
  let offset = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  for (;;) {
    const kind = header.at(offset, 1)?.[0];
    if (kind === 0x2c) {
      const frame = header.at(offset + 1, 8);
      return (
        frame && {
          width: Math.max(screen.readUInt16LE(0), frame.readUInt16LE(0) + frame.readUInt16LE(4)),
          height: Math.max(screen.readUInt16LE(2), frame.readUInt16LE(2) + frame.readUInt16LE(6)),
        }
      );
    }
    const after = kind === 0x21 ? afterExtension(header, offset) : null;
    if (after === null) return null;
    offset = after;
  }
}

/** Where an extension of a GIF ends. */
function afterExtension(header: Header, start: number): number | null {
  let offset = start + 2;
  for (;;) {
    const length = header.at(offset, 1)?.[0];
    if (length === undefined) return null;
    offset += 1 + length;
    if (length === 0) return offset;
  }
}
