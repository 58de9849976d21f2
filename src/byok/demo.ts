import type { BareKey } from './bare-key.js';
import { conceal } from './conceal.js';
import type { Parsed } from './members.js';

/** The key of the built-in scripted provider; its text may choose a script. */
export type DemoCredential = BareKey<'demo'>;

/** Reads the credential of the demo provider: any text (that it isn't empty is checked for every kind). */
export function parseDemo(text: string): Parsed<DemoCredential> {
  return { ok: conceal({ adapter: 'demo', apiKey: text }) };
}
