import type { Parsed } from '../json-reader.js';
import { hideMembers } from '../redact.js';
import type { BareKey } from './bare-key.js';

/** The key of the built-in scripted provider; its text may choose a script. */
export type DemoCredential = BareKey<'demo'>;

/** Reads the credential of the demo provider: any text (that it isn't empty is checked for every kind). */
export function parseDemo(text: string): Parsed<DemoCredential> {
  return { ok: hideMembers({ adapter: 'demo', apiKey: text }) };
}
