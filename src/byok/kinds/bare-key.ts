import { type Parsed, refused, wrongType } from '../json-reader.js';
import { hideMembers } from '../redact.js';
import { visibleAscii } from './text-checks.js';

/** A credential that is one text, sent as it stands. */
export interface BareKey<A extends string> {
  readonly adapter: A;
  readonly apiKey: string;
}

/** Reads a bare API key: printable ASCII without spaces, and not JSON text that another kind of provider takes. */
export function parseBareKey<A extends string>(adapter: A, text: string): Parsed<BareKey<A>> {
  const violation = /^\s*[{["]/.test(text) ? wrongType(textKind(text), 'a bare API key') : visibleAscii(text);
  if (violation !== undefined) return refused(violation);
  return { ok: hideMembers({ adapter, apiKey: text }) };
}

/** A sample of what the text seems to be, to name its type. */
function textKind(text: string): unknown {
  const [first] = text.trimStart();
  return first === '{' ? {} : first === '[' ? [] : '';
}
