/**
 * Finds the members by which a request can make its answer longer than `max_tokens`, or ask for more answers. They may
 * belong to any API that a host takes besides the gateway's own, stand at any depth and have any spelling.
 */
import type { Violation } from '../base/problem.js';
import { isObject, type JsonObject } from './json.js';
import { isOpaque, isSchema } from './opaque-members.js';
import { plainName } from './plain-name.js';

/** More than any provider gives to one request: https://platform.openai.com/docs/api-reference/chat/create (`n`). */
export const MAX_CHOICES = 128;

/** What members of other APIs ask for in a request. They can only raise what `max_tokens` and `n` say. */
export interface OwnSize {
  /** The largest limit on an answer's tokens; 0 = none is given. */
  readonly maxTokens: number;
  /**
   * The largest thinking budget that counts towards the answer's limit, unless the limit is smaller than it; 0 = none
   * is given.
   */
  readonly thinkingInside: number;
  /** The largest thinking budget that comes on top of the answer's limit; 0 = none is given. */
  readonly thinkingBeside: number;
  /** At least 1. */
  readonly answers: number;
}

/** The maximum of protobuf's int32: the contract has limits of tokens as int32. */
const MAX_TOKENS = 2 ** 31 - 1;

type Kind = 'maxTokens' | 'thinkingInside' | 'thinkingBeside' | 'answers';

/** By the member's name in lower case without `_` and `-`, in which the spellings of APIs differ. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...each('maxTokens', [
    // OpenAI, Google, and models' own bodies at Bedrock.
    'maxtokens',
    'maxcompletiontokens',
    'maxoutputtokens',
    'maxtokenstosample',
    'maxtokencount',
    'maxgenlen',
    // vLLM, TGI, Ollama, llama.cpp, watsonx.
    'maxnewtokens',
    'minnewtokens',
    'mintokens',
    'maxlength',
    'numpredict',
    'npredict',
    'numctx',
  ]),
  // Anthropic: https://platform.claude.com/docs/en/build-with-claude/extended-thinking (interleaved thinking).
  ...each('thinkingInside', ['budgettokens']),
  // Qwen, vLLM, Google: https://www.alibabacloud.com/help/en/model-studio/deep-thinking
  ...each('thinkingBeside', ['thinkingbudget', 'thinkingtokenbudget']),
  ...each('answers', [
    'n',
    'bestof',
    'candidatecount',
    'samplecount',
    'numreturnsequences',
    'numgenerations',
    'numcompletions',
    'numbeams',
    'beamwidth',
  ]),
]);

function each(kind: Kind, names: readonly string[]): [string, Kind][] {
  return names.map((name) => [name, kind]);
}

const NOTHING: OwnSize = { maxTokens: 0, thinkingInside: 0, thinkingBeside: 0, answers: 1 };

/** Numbers that `ownSizeViolations` does not allow count as not given. */
export function ownSizeOf(body: JsonObject): OwnSize {
  let size: OwnSize | undefined;
  for (const { kind, value } of sizesIn(body)) {
    if (!isAllowed(kind, value)) continue;
    size ??= NOTHING;
    size = { ...size, [kind]: Math.max(size[kind], Number(value)) };
  }
  return size ?? NOTHING;
}

/** Refuses numbers that a provider might read differently than the reservation does. */
export function ownSizeViolations(body: JsonObject): Violation[] {
  return [...sizesIn(body)].flatMap(({ field, kind, value }) =>
    isAllowed(kind, value) ? [] : [{ field, rule: 'range', message: ruleOf(kind) }],
  );
}

/** Budgets may be 0 (no thinking) and -1 (as much as the model likes). */
const RANGES: Readonly<Record<Kind, readonly [min: number, max: number]>> = {
  maxTokens: [1, MAX_TOKENS],
  thinkingInside: [-1, MAX_TOKENS],
  thinkingBeside: [-1, MAX_TOKENS],
  answers: [1, MAX_CHOICES],
};

function isAllowed(kind: Kind, value: unknown): boolean {
  const [min, max] = RANGES[kind];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
}

function ruleOf(kind: Kind): string {
  const [min, max] = RANGES[kind];
  return `must be a whole number from ${min} to ${max}, and not a text`;
}

interface FoundSize {
  /** The member's path. */
  readonly field: string;
  readonly kind: Kind;
  readonly value: unknown;
}

const NO_SIZES: readonly FoundSize[] = [];

/** Iterative, so that deep bodies can't overflow the stack. null counts as not given. */
function sizesIn(body: JsonObject): readonly FoundSize[] {
  let found: FoundSize[] | undefined;
  let pending: { readonly path: string; readonly value: object }[] | undefined;
  const visit = (path: string, name: string, value: unknown) => {
    if (value === null || value === undefined) return;
    const kind = KINDS.get(plainName(name));
    // A tool's schema may have a property of that name.
    if (kind !== undefined && (path === '' || Array.isArray(value) || typeof value !== 'object')) {
      found ??= [];
      found.push({ field: `${path}${name}`, kind, value });
    } else if (typeof value === 'object' && !isSchema(name)) {
      pending ??= [];
      pending.push({ path: `${path}${name}`, value });
    }
  };
  for (const name of Object.keys(body)) if (!isOpaque(name)) visit('', name, body[name]);
  for (let next = pending?.pop(); next !== undefined; next = pending?.pop()) {
    const { path, value } = next;
    if (isObject(value)) {
      for (const [name, child] of Object.entries(value)) visit(`${path}.`, name, child);
    } else {
      for (const [index, child] of Object.entries(value)) {
        if (typeof child === 'object' && child !== null)
          pending?.push({ path: `${path}[${index}]`, value: child });
      }
    }
  }
  return found ?? NO_SIZES;
}
