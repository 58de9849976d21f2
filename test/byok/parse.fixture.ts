/** Reads credentials for tests, from their text or their JSON. */
import { type Credential, parseCredential } from '../../src/byok/kinds/credential.js';
import type { AdapterName } from '../../src/catalog/types.js';

/** The rules of a gateway that only calls public addresses. */
export const STRICT = { allowPrivateUpstreams: false };

/** The rules of a gateway that may call private ones. */
export const OPEN = { allowPrivateUpstreams: true };

/** The violations of the credential, as `field rule`. */
export function violations(adapter: AdapterName, credential: unknown, rules = STRICT): string[] {
  const text = typeof credential === 'string' ? credential : JSON.stringify(credential);
  const parsed = parseCredential(adapter, text, rules);
  return 'ok' in parsed ? [] : parsed.violations.map(({ field, rule }) => `${field} ${rule}`);
}

/** Parses the text or the JSON. Throws an Error with all violations. */
export function read<A extends AdapterName>(adapter: A, credential: unknown, rules = STRICT) {
  const text = typeof credential === 'string' ? credential : JSON.stringify(credential);
  const parsed = parseCredential(adapter, text, rules);
  if (!('ok' in parsed)) throw new Error(parsed.violations.map((v) => `${v.field}: ${v.message}`).join('; '));
  return parsed.ok as Extract<Credential, { adapter: A }>;
}
