import type { AdapterName } from '../../catalog/types.js';
import { hideMembers } from '../redact.js';
import { keyViolation, type Parsed, wrongType } from './json-reader.js';
import { visibleAscii } from './text-checks.js';

/** A credential that consists of one text. */
export interface BareKey<A extends string> {
  readonly adapter: A;
  readonly apiKey: string;
}

/** In place of the key of a host that takes none. */
export const NO_KEY = '';

/** undefined where the hosts always need one. */
const KEYLESS: Readonly<Record<AdapterName, BareKey<'openai'> | BareKey<'anthropic'> | undefined>> = {
  openai: hideMembers({ adapter: 'openai', apiKey: NO_KEY } as const),
  anthropic: hideMembers({ adapter: 'anthropic', apiKey: NO_KEY } as const),
  azure: undefined,
  'amazon-bedrock': undefined,
  'google-vertex': undefined,
  demo: undefined,
};

/** The credential of a provider whose host takes none; undefined for adapters that always need one. */
export function keylessCredential(
  adapter: AdapterName,
): BareKey<'openai'> | BareKey<'anthropic'> | undefined {
  return KEYLESS[adapter];
}

/** Reads printable ASCII without spaces. JSON is refused: it is another provider's format. */
export function parseBareKey<A extends string>(adapter: A, text: string): Parsed<BareKey<A>> {
  const violation = /^\s*[{["]/.test(text) ? wrongType(textKind(text), 'a bare API key') : visibleAscii(text);
  if (violation !== undefined) return keyViolation(violation);
  return { ok: hideMembers({ adapter, apiKey: text }) };
}

/** A value of the JSON type that the text seems to have. */
function textKind(text: string): unknown {
  const [first] = text.trimStart();
  return first === '{' ? {} : first === '[' ? [] : '';
}
