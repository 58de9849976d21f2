import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imageSizeOf } from '../../src/formats/image-size.js';
import {
  gifFrame,
  gifScreen,
  type ImageType,
  imageOf,
  jpegFrame,
  jpegSegment,
  pngChunk,
  pngHeader,
} from '../support/images.js';

/** Of 37 by 21 pixels, written by Pillow 13.0.0. */
const WRITTEN = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAACUAAAAVCAIAAABOhrD5AAAAJklEQVR4nGM8wcXFQEfARE/LRu0btW/UvlH7Ru0btW/UvlH7qAAArt4BBscTq5gAAAAASUVORK5CYII=',
  'progressive jpeg':
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////2wBDAf//////////////////////////////////////////////////////////////////////////////////////wgARCAAVACUDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/xAAVAQEBAAAAAAAAAAAAAAAAAAAAAf/aAAwDAQACEAMQAAABglAAAAA//8QA',
  'lossy webp':
    'UklGRkIAAABXRUJQVlA4IDYAAAAwAwCdASolABUAP83m7XA/uDIrJWgD8DmJZwDLLA8KmggAAP7cUdB8TV7s7RaZZKg3jYUmAAA=',
  'lossless webp': 'UklGRh4AAABXRUJQVlA4TBEAAAAvJAAFAAdQhSJXof+BiOh/AAA=',
  'webp with alpha':
    'UklGRmYAAABXRUJQVlA4WAoAAAAQAAAAJAAAFAAAQUxQSAoAAAABB1CUiAhERP8DVlA4IDYAAAAwAwCdASolABUAP83m7XA/uDIrJWgD8DmJZwDLLA8KmggAAP7cUdB8TV7s7RaZZKg3jYUmAAA=',
  gif: 'R0lGODdhJQAVAIEAAMgKCgAAAAAAAAAAACwAAAAAJQAVAEAILwABCBxIsKDBgwgTKlzIsKHDhxAjSpxIsaLFixgzatzIsaPHjyBDihxJsqRJkgEBADs=',
};

const TYPES: readonly ImageType[] = ['png', 'jpeg', 'webp', 'gif'];
const JPEG = Buffer.from('ffd8', 'hex');
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const REST = Buffer.alloc(64);
const base64 = (...parts: readonly Buffer[]) => Buffer.concat([...parts, REST]).toString('base64');

describe('the size of an image, by its beginning', () => {
  it.each(Object.entries(WRITTEN))('is read from a %s', (_, image) => {
    expect(imageSizeOf(image)).toEqual({ width: 37, height: 21 });
  });

  it('is read from any size and type, whatever its metadata', () => {
    const pixels = fc.integer({ min: 1, max: 16_383 });
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), pixels, pixels, (type, width, height) => {
        expect(imageSizeOf(imageOf(type, width, height))).toEqual({ width, height });
      }),
    );
    const segments = fc.array(
      fc.tuple(fc.integer({ min: 0xe0, max: 0xef }), fc.integer({ min: 2, max: 65_535 })),
      {
        maxLength: 1,
      },
    );
    fc.assert(
      fc.property(segments, fc.constantFrom(0xc0, 0xc1, 0xc2, 0xc9), (some, marker) => {
        const before = some.map(([kind, length]) => jpegSegment(kind, length));
        const fill = Buffer.from('ffff', 'hex');
        expect(imageSizeOf(base64(JPEG, ...before, fill, jpegFrame(7, 9, marker)))).toEqual({
          width: 7,
          height: 9,
        });
      }),
    );
  });

  it('is that of a frame beyond the screen of a GIF', () => {
    expect(imageSizeOf(base64(gifScreen(1, 1), gifFrame(800, 600)))).toEqual({ width: 800, height: 600 });
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['text', 'what is this?'],
    ['another type', Buffer.from('<svg width="10" height="10"/>'.repeat(9)).toString('base64')],
    ['no pixels', imageOf('png', 0, 10)],
    ['a second header of a PNG', base64(PNG, pngHeader(1, 1), pngHeader(8_000, 8_000), pngChunk('IDAT', 8))],
    [
      'a PNG whose pixels are not near',
      base64(PNG, pngHeader(1, 1), pngChunk('tEXt', 300_000), pngChunk('IDAT', 8)),
    ],
    [
      'a PNG that begins with another chunk',
      base64(PNG, pngChunk('CgBI', 4), pngHeader(1, 1), pngChunk('IDAT', 8)),
    ],
    ['a JPEG whose pixels come first', base64(JPEG, jpegSegment(0xda, 12), jpegFrame(1, 1))],
    ['a JPEG whose height comes later', base64(JPEG, jpegFrame(10, 0))],
    ['a JPEG with a marker that stands alone', base64(JPEG, jpegSegment(0xd0, 12), jpegFrame(1, 1))],
    ['a JPEG with a segment of no length', base64(JPEG, jpegSegment(0xe0, 0), jpegFrame(1, 1))],
    [
      'a JPEG with 300 KB before its frame',
      base64(JPEG, ...Array.from({ length: 5 }, () => jpegSegment(0xe2, 60_000)), jpegFrame(1, 1)),
    ],
    [
      'a JPEG of 300 segments',
      base64(JPEG, ...Array.from({ length: 300 }, () => jpegSegment(0xe2, 2)), jpegFrame(1, 1)),
    ],
    ['a GIF without a frame', base64(gifScreen(1, 1), Buffer.from(';'))],
    ['a line break, which a decoder may skip', imageOf('jpeg', 10, 10).replace(/^.{40}/, '$&\n')],
    ['the alphabet of URLs', imageOf('png', 10, 10).replace(/^.{20}/, '$&-_')],
  ])('is not known of %s', (_, image) => {
    expect(imageSizeOf(image)).toBeNull();
  });

  it('is never another than the whole image has, wherever it is cut or written over', () => {
    const cuts = fc.tuple(fc.constantFrom(...TYPES), fc.nat(2_200));
    fc.assert(
      fc.property(cuts, ([type, at]) => {
        const size = imageSizeOf(imageOf(type, 3_000, 2_000).slice(0, at));
        if (size !== null) expect(size).toEqual({ width: 3_000, height: 2_000 });
      }),
    );
    fc.assert(
      fc.property(cuts, fc.string({ unit: 'grapheme', maxLength: 40 }), ([type, at], noise) => {
        const image = imageOf(type, 300, 200);
        expect(() => imageSizeOf(image.slice(0, at) + noise + image.slice(at))).not.toThrow();
      }),
    );
  });
});
