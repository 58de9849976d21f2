/** Longer content types are not parsed; no supported one is as long. */
const MAX_CHARACTERS = 256;

const UTF8: ReadonlySet<string> = new Set(['utf-8', '"utf-8"', 'utf8', '"utf8"']);

/**
 * The media type in lower case, without its parameters (RFC 9110 section 8.3.1); undefined where these name anything
 * but the charset UTF-8.
 */
export function utf8MediaType(contentType: string): string | undefined {
  if (contentType.length > MAX_CHARACTERS) return undefined;
  const [type = '', parameter = '', ...more] = contentType.toLowerCase().split(';');
  if (!isUtf8Charset(parameter) || more.some((rest) => rest.trim() !== '')) return undefined;
  return type.trimEnd();
}

function isUtf8Charset(parameter: string): boolean {
  if (parameter.trim() === '') return true;
  const [name = '', value = ''] = parameter.split('=', 2);
  return name.trim() === 'charset' && UTF8.has(value.trim());
}
