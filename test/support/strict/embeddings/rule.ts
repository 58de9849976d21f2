/** Hosts of embeddings as judges of what is sent to them: rules with a source each, known from public material alone. */
import { type Rule, refusalBy, type StrictHost } from '../native/rule.js';
import { type JsonRecord, record } from '../native/values.js';

export interface EmbeddingsRule extends Rule {
  /** A body that the rule refuses, and one like it that the host takes. */
  readonly example: { readonly refused: object; readonly taken: object };
}

export type EmbeddingsHost = Omit<StrictHost, 'format' | 'rules'> & {
  readonly rules: readonly EmbeddingsRule[];
};

/** In which words the host refuses the body; undefined for one that it takes. */
export function embeddingsRefusal(host: EmbeddingsHost, body: object): string | undefined {
  return refusalBy(host, body);
}

/** All sources were looked up on this day. */
const SEEN = '2026-11-26';

type Sure = Rule['sure'];

export function rule(
  refuses: string,
  sure: Sure,
  source: string,
  example: EmbeddingsRule['example'],
  violation: (body: JsonRecord) => string | undefined,
): EmbeddingsRule {
  return { refuses, source, seen: SEEN, sure, example, violation: (body) => violation(record(body)) };
}

/** Members that the host does not know. */
export function unknownMembers(
  known: readonly string[],
  sure: Sure,
  source: string,
  example: EmbeddingsRule['example'],
  wordsFor: (name: string) => string,
): EmbeddingsRule {
  return rule('members that it does not know', sure, source, example, (body) => {
    const unknown = Object.keys(body).find((name) => !known.includes(name));
    return unknown === undefined ? undefined : wordsFor(unknown);
  });
}

/** So many times the same text. */
export function texts(count: number, text = 'a'): string[] {
  return Array.from({ length: count }, () => text);
}

/** The fakes' tokenizer: a character is a token. */
export function tokensIn(inputs: readonly unknown[]): number {
  return inputs.reduce<number>((sum, one) => sum + (one as string | readonly unknown[]).length, 0);
}
