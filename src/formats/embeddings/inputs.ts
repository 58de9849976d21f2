/** The inputs of a request, whichever form they have: `docs/embeddings.md#inputs`. */
import type { Violation } from '../../base/problem.js';
import { elements, isObject, type JsonObject, members } from '../json.js';

/** What one embedding is made of: a text, the tokens of one, or parts. */
export type EmbeddingInput = string | readonly number[] | EmbeddingParts;

export interface EmbeddingParts {
  readonly content: readonly unknown[];
}

/** OpenAI's bounds, and the largest of any host: https://platform.openai.com/docs/api-reference/embeddings (2026-11-26). */
export const MAX_INPUTS = 2048;
export const MAX_TOKENS = 300_000;

/** The inputs, each of which gets an embedding. The request is valid. */
export function inputsOf(input: unknown): readonly EmbeddingInput[] {
  if (!Array.isArray(input)) return [input as EmbeddingInput];
  return typeof input[0] === 'number' ? [input as number[]] : (input as EmbeddingInput[]);
}

export function isParts(input: EmbeddingInput): input is EmbeddingParts {
  return isObject(input) && !Array.isArray(input);
}

export function isTokens(input: EmbeddingInput): input is readonly number[] {
  return Array.isArray(input);
}

/** What the contract can't say of the inputs. */
export function inputViolations(input: unknown): readonly Violation[] {
  if (!Array.isArray(input)) return [];
  const kinds = new Set(input.map(kindOf));
  if (kinds.size > 1) return [violation('input', 'type', MIXED)];
  const isOneInput = kinds.has('number');
  if (!isOneInput && input.length > MAX_INPUTS)
    return [
      violation(
        'input',
        'count',
        `must have at most ${MAX_INPUTS} inputs: send the others in another request`,
      ),
    ];
  if (tokensIn(input, isOneInput) > MAX_TOKENS)
    return [
      violation('input', 'count', `must have at most ${MAX_TOKENS} tokens: send fewer inputs in a request`),
    ];
  return kinds.has('object') ? input.flatMap(partViolations) : [];
}

/** Of an input of parts, which the contract leaves open but for being objects. */
function partViolations(one: unknown, index: number): readonly Violation[] {
  const content = elements(members(one).content);
  const field = `input[${index}].content`;
  const unread = content.findIndex((part) => isObject(part) && isText(part) && typeof part.text !== 'string');
  if (unread >= 0) return [violation(`${field}[${unread}].text`, 'required', 'must be a text')];
  const isEmpty = content.length > 0 && textOfParts({ content }) === '';
  return isEmpty ? [violation(field, 'min_len', 'must have a text that is not empty')] : [];
}

function isText({ type }: JsonObject): boolean {
  return type === 'text' || type === undefined;
}

const MIXED = 'must have inputs of one form: texts, lists of tokens, or objects with content';

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}

function tokensIn(input: readonly unknown[], isOneInput: boolean): number {
  if (isOneInput) return input.length;
  return input.reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.length : 0), 0);
}

function violation(field: string, rule: string, message: string): Violation {
  return { field, rule, message };
}

/** The text of parts that are nothing else; undefined where there is media. */
export function textOfParts({ content }: EmbeddingParts): string | undefined {
  const texts = content.map((part) => {
    const { text } = members(part);
    return isText(members(part)) && typeof text === 'string' ? text : undefined;
  });
  return texts.includes(undefined) ? undefined : texts.join('');
}
