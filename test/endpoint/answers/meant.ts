/** What a model means to say, whichever host spells it. */
import fc from 'fast-check';

export interface MeantCall {
  readonly name: string;
  /** JSON as `JSON.stringify` writes it: some hosts have it as an object. */
  readonly args: string;
}

export interface Meant {
  readonly reasoning: string;
  readonly content: string;
  readonly refusal: string;
  readonly calls: readonly MeantCall[];
  readonly end: 'done' | 'length' | 'filtered';
  readonly prompt: number;
  /** Of the prompt. */
  readonly cached: number;
  readonly completion: number;
}

/** Characters of one and of two halves, those that JSON escapes, and those that stand in JSON. */
const UNIT = fc.constantFrom(
  ...'ab {}[]":,\\/\n\t',
  ...['é', '漢', '\u2028', '👋', '🏽', '𝒳', '👩‍👩‍👧', '\u0000', '[DONE]', 'data: '],
);

const text = (minLength: number, maxLength = 12) =>
  fc.array(UNIT, { minLength, maxLength }).map((units) => units.join(''));

const value = fc.oneof(
  text(0, 6),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.record({ in: text(0, 4), list: fc.array(fc.integer(), { maxLength: 3 }) }),
);

/** Arguments differ by their place: hosts that repeat calls are told from those that make two. */
const call = fc.record({
  name: fc.constantFrom('look', 'look_up', 'f'),
  given: fc.dictionary(fc.constantFrom('x', 'y', 'ü👋'), value),
});

export const MEANT: fc.Arbitrary<Meant> = fc
  .record({
    reasoning: fc.oneof(fc.constant(''), text(1)),
    content: fc.oneof(fc.constant(''), text(1, 20)),
    refusal: fc.oneof({ weight: 5, arbitrary: fc.constant('') }, { weight: 1, arbitrary: text(1) }),
    calls: fc.array(call, { maxLength: 4 }),
    end: fc.constantFrom<Meant['end']>('done', 'done', 'done', 'length', 'filtered'),
    prompt: fc.integer({ min: 1, max: 5_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    completion: fc.integer({ min: 1, max: 4_000 }),
  })
  .map(({ calls, share, content, refusal, reasoning, ...rest }) => ({
    ...rest,
    // Blank text alone is no answer, and blocks of Messages have none.
    content: calls.length === 0 && content === '' ? 'ok' : content,
    refusal,
    reasoning,
    cached: Math.floor(rest.prompt * share),
    calls: calls.map(({ name, given }, n) => ({ name, args: JSON.stringify({ n, ...given }) })),
  }));

/** The finish reason that a chat has. */
export function finishOf({ end, calls }: Meant): string {
  if (end === 'length') return 'length';
  if (end === 'filtered') return 'content_filter';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

/** The stop reason that Messages have. */
export function stopOf({ end, calls, refusal }: Meant): string {
  if (end === 'filtered' || refusal !== '') return 'refusal';
  if (end === 'length') return 'max_tokens';
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

/** Cuts a text anywhere, also between the halves of a character; none for an empty one. */
export function pieces(whole: string, next: () => number): string[] {
  const cut: string[] = [];
  for (let at = 0; at < whole.length; ) {
    const length = 1 + (next() % 5);
    cut.push(whole.slice(at, at + length));
    at += length;
  }
  return cut;
}

/** Numbers that a spelling is chosen by. */
export type Choose = (count: number) => number;
