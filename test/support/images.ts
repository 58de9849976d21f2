/** Images by their headers: what follows is noise, as of a compressed picture. */

export type ImageType = 'png' | 'jpeg' | 'webp' | 'gif';

/** Base64 of an image of so many pixels and, with its noise, at least so many bytes. */
export function imageOf(type: ImageType, width: number, height: number, bytes = 0): string {
  const header = HEADERS[type](width, height);
  return Buffer.concat([header, Buffer.alloc(Math.max(64, bytes - header.length), 'noise')]).toString(
    'base64',
  );
}

export function imageUrl(type: ImageType, width: number, height: number, bytes?: number): string {
  return `data:image/${type};base64,${imageOf(type, width, height, bytes)}`;
}

const HEADERS: Readonly<Record<ImageType, (width: number, height: number) => Buffer>> = {
  png: (width, height) =>
    Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), pngHeader(width, height), pngChunk('IDAT', 64)]),
  jpeg: (width, height) =>
    Buffer.concat([Buffer.from('ffd8', 'hex'), jpegSegment(0xe1, 2_000), jpegFrame(width, height)]),
  webp: (width, height) => {
    const bytes = Buffer.from('RIFF....WEBPVP8X....................', 'latin1');
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
    return bytes;
  },
  gif: (width, height) => Buffer.concat([gifScreen(width, height), gifFrame(width, height)]),
};

export function pngHeader(width: number, height: number): Buffer {
  const chunk = pngChunk('IHDR', 13);
  chunk.writeUInt32BE(width, 8);
  chunk.writeUInt32BE(height, 12);
  return chunk;
}

export function pngChunk(type: string, length: number): Buffer {
  const chunk = Buffer.alloc(12 + length);
  chunk.writeUInt32BE(length);
  chunk.write(type, 4, 'latin1');
  return chunk;
}

export function jpegSegment(marker: number, length: number): Buffer {
  const segment = Buffer.alloc(2 + Math.max(2, length));
  segment.writeUInt16BE(0xff00 + marker);
  segment.writeUInt16BE(length, 2);
  return segment;
}

export function jpegFrame(width: number, height: number, marker = 0xc0): Buffer {
  const frame = jpegSegment(marker, 17);
  frame[4] = 8;
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return frame;
}

export function gifScreen(width: number, height: number): Buffer {
  const screen = Buffer.from('GIF89a.......', 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  screen.fill(0, 10);
  return screen;
}

export function gifFrame(width: number, height: number): Buffer {
  const frame = Buffer.alloc(10);
  frame[0] = 0x2c;
  frame.writeUInt16LE(width, 5);
  frame.writeUInt16LE(height, 7);
  return frame;
}
