import { SECRET } from '../input/catalog-file.js';
import type { JsonReader } from '../input/json-reader.js';

const MAX_HEADERS = 20;

/** Bytes of all names and values. */
const MAX_BYTES = 4096;

/** RFC 9110, section 5.6.2. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;

/** Visible ASCII, with blanks and tabs between. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

const HOP_BY_HOP = 'belongs to a single connection';
const CREDENTIAL = 'carries the credential; store that with "byway provider set-key", or as a BYOK key';
const OURS = 'is set by the gateway';

/** RFC 9110, section 7.6.1, and what sets or replaces them. */
const REFUSED: Readonly<Record<string, string>> = {
  connection: HOP_BY_HOP,
  'keep-alive': HOP_BY_HOP,
  'proxy-authenticate': HOP_BY_HOP,
  'proxy-authorization': HOP_BY_HOP,
  'proxy-connection': HOP_BY_HOP,
  te: HOP_BY_HOP,
  trailer: HOP_BY_HOP,
  'transfer-encoding': HOP_BY_HOP,
  upgrade: HOP_BY_HOP,
  expect: HOP_BY_HOP,
  'http2-settings': HOP_BY_HOP,
  host: 'is given by base_url',
  authorization: CREDENTIAL,
  'x-api-key': CREDENTIAL,
  'api-key': CREDENTIAL,
  'x-goog-api-key': CREDENTIAL,
  accept: OURS,
  'accept-encoding': OURS,
  'user-agent': OURS,
  'anthropic-version': OURS,
  'anthropic-beta': OURS,
};

/** Every header of a signed request to Amazon Bedrock; and what describes the body. */
const REFUSED_STARTS: Readonly<Record<string, string>> = {
  'content-': OURS,
  'x-amz-': OURS,
  ':': HOP_BY_HOP,
};

/**
 * Reads the headers that a provider's host gets with every call, by name as it is spelled. No violation repeats a value.
 */
export function readHeaders(at: JsonReader): Record<string, string> {
  const entries = at.entries();
  if (entries.length > MAX_HEADERS) {
    at.violation('too_many', `has more than ${MAX_HEADERS} headers`);
    return {};
  }
  const headers: Record<string, string> = Object.create(null);
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of entries) {
    const broken = nameViolation(name, seen);
    if (broken !== undefined) value.violation(broken.rule, broken.message);
    seen.add(name.toLowerCase());
    headers[name] = readValue(value);
    bytes += name.length + headers[name].length;
  }
  if (bytes > MAX_BYTES) at.violation('too_long', `has more than ${MAX_BYTES} bytes`);
  return { ...headers };
}

function nameViolation(name: string, seen: ReadonlySet<string>) {
  const lower = name.toLowerCase();
  const start = Object.keys(REFUSED_STARTS).find((one) => lower.startsWith(one));
  const why =
    (Object.hasOwn(REFUSED, lower) ? REFUSED[lower] : undefined) ??
    (start === undefined ? undefined : REFUSED_STARTS[start]);
  if (why !== undefined) return { rule: 'reserved_header', message: `can't be set here: it ${why}` };
  if (!NAME.test(name)) {
    return {
      rule: 'header_name',
      message: 'is no name of a header: letters, digits and hyphens, at most 128',
    };
  }
  if (seen.has(lower)) return { rule: 'duplicate', message: 'is there twice: case does not count' };
  return undefined;
}

function readValue(at: JsonReader): string {
  const text = at.text();
  if (text === '' || text === SECRET || VALUE.test(text)) return text;
  at.violation('header_value', 'must be printable ASCII without blanks at its ends');
  return '';
}
