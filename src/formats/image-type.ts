/** What images are, by their bytes: clients label a JPEG as PNG, and hosts that look refuse it. */

/** How the bytes of images begin, in hexadecimal digits. */
const IMAGE_BYTES: readonly (readonly [type: string, bytes: RegExp])[] = [
  ['image/jpeg', /^ffd8ff/],
  ['image/png', /^89504e470d0a1a0a/],
  ['image/gif', /^47494638/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** How much of the base64 tells what an image is. */
const HEAD_CHARACTERS = 24;

/** Often sent, and registered nowhere. */
const JPG = 'image/jpg';

/** The media type of an image by the beginning of its base64 text, else by its label. */
export function imageTypeOf(base64: string, label: string): string {
  const bytes = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64').toString('hex');
  const known = IMAGE_BYTES.find(([, pattern]) => pattern.test(bytes))?.[0];
  const named = label.toLowerCase();
  return known ?? (named === JPG ? 'image/jpeg' : named);
}
