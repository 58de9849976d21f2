import type { Rng } from './rng.js';

const SENTENCES = [
  'Look at {}, please',
  'The tests in {} fail since yesterday',
  'Rename {} everywhere',
  'Grüezi, was macht {}?',
  '{} を見てください',
  'Why does {} return 404? 🤔',
  '```ts\nconst a = "{}";\n```',
  '<system-reminder>{} was changed</system-reminder>',
  'يرجى مراجعة {}',
  'Say {} in JSON: {"ok": true}',
  'a \\ b "c" {}\tend',
];

/** A text that no other is a part of. */
export function text(rng: Rng): string {
  return rng.pick(SENTENCES).replace('{}', `${rng.pick(['foo', 'bar', 'src/main', 'étude'])}-${rng.hex(8)}`);
}

export function longText(rng: Rng): string {
  return Array.from({ length: 2 + rng.below(6) }, () => text(rng)).join('\n\n');
}

/** Half of a surrogate pair, the first or the second. */
export function half(rng: Rng): string {
  return rng.pick(['\ud83d', '\ude00', '\ud83d\ud83d\ude00']);
}
