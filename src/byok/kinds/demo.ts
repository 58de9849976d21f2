import { hideMembers } from '../redact.js';
import type { BareKey } from './bare-key.js';
import type { Parsed } from './json-reader.js';

/** The key of the built-in scripted provider; its text may name a script. */
export type DemoCredential = BareKey<'demo'>;

/** Takes any text. */
export function parseDemo(text: string): Parsed<DemoCredential> {
  return { ok: hideMembers({ adapter: 'demo', apiKey: text }) };
}
