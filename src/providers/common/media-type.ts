/** Media types by file name, for files that are sent without one. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv'],
  ['gif', 'image/gif'],
  ['html', 'text/html'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['txt', 'text/plain'],
  ['webp', 'image/webp'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
]);

/** undefined if the extension is unknown. */
export function mediaTypeOf(filename: string | undefined): string | undefined {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(filename ?? '')?.[1];
  return extension === undefined ? undefined : TYPES.get(extension.toLowerCase());
}

/** How the bytes of images begin, in hexadecimal digits. */
const IMAGE_BYTES: readonly (readonly [type: string, bytes: RegExp])[] = [
  ['image/jpeg', /^ffd8ff/],
  ['image/png', /^89504e470d0a1a0a/],
  ['image/gif', /^47494638/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** The type of an image by its first bytes, from the beginning of its base64; undefined where they tell none. */
export function imageTypeIn(base64: string): string | undefined {
  const bytes = Buffer.from(base64.slice(0, 24), 'base64').toString('hex');
  return IMAGE_BYTES.find(([, pattern]) => pattern.test(bytes))?.[0];
}
