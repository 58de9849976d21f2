import { signatureOf } from '../fakes/fake-anthropic/answer.js';
import type { Rng } from './rng.js';
import { text } from './words.js';

/** A thought that Claude signed, as its API gives it. */
export function signedThought(rng: Rng) {
  const thinking = `I should think about it: ${text(rng)}`;
  return { thinking, signature: signatureOf(thinking) };
}

/** Data of a redacted thought. */
export function redacted(rng: Rng): string {
  return Buffer.from(rng.hex(40), 'hex').toString('base64');
}

/** A signature of Gemini. */
export function geminiSignature(rng: Rng): string {
  return `CiE${Buffer.from(rng.hex(48), 'hex').toString('base64')}`;
}

/** A mark of a gateway in the place of a signature, which no key of ours made. */
export function foreignMark(rng: Rng): string {
  return `${rng.pick(['bw1', 'bw2', 'ogw'])}.${rng.hex(40)}.${Buffer.from('[]').toString('base64url')}`;
}
