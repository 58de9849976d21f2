const BEGINNINGS: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['audio/wav', /^RIFF[\s\S]{4}WAVE/],
  ['audio/mpeg', /^(?:ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/],
  ['application/pdf', /^%PDF-/],
];

/** The media type that bytes in base64 begin with, whatever they are called; undefined for one that is not known here. */
export function mediaTypeOf(base64: unknown): string | undefined {
  const head = Buffer.from(String(base64).slice(0, 64), 'base64').toString('latin1');
  return BEGINNINGS.find(([, beginning]) => beginning.test(head))?.[0];
}
