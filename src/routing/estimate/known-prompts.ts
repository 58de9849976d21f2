/** What providers have counted of the prompts of conversations that go on. See `docs/money.md#known-beginnings`. */

import { textLength } from '../../base/json/text-length.js';
import { OwnedMap } from '../../base/memory/owned-map.js';
import { runInSlices } from '../../base/time-slices.js';
import type { Attempt } from '../types.js';
import { moreImageTokens } from './image-families.js';
import { promptTokensAt } from './max-usage.js';
import { type PromptPrefixes, prefixesOf, type SentPrompt } from './prompt-prefixes.js';
import { messagesHigh } from './prompt-tokens.js';
import type { RequestSize } from './request-size.js';

/** Conversations of all accounts, of some 300 bytes each. */
const MAX_KNOWN = 50_000;

/** Shorter prompts are not worth it: what is reserved for them is little. Longer ones would take too long to hash. */
const MIN_PROMPT_TOKENS = 4_096;
const MAX_PROMPT_TOKENS = 8 * 1024 * 1024;

/** Images and sounds count less than their bytes. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** No tokenizer puts more than so many bytes of a prompt into a token on average. */
const MAX_BYTES_PER_TOKEN = 8;

/** A conversation of an account, and its size as its bytes alone tell it. */
export interface MeasuredPrompt {
  readonly accountId: string;
  readonly size: RequestSize;
  /** null where no count of it would be of use. */
  readonly prefixes: PromptPrefixes | null;
}

/**
 * A provider's count is of use where it is of the whole conversation, once. `isReserved`: whether what the request may cost
 * counts for anything.
 */
export async function measurePrompt(
  accountId: string,
  size: RequestSize,
  sent: SentPrompt,
  isReserved: boolean,
): Promise<MeasuredPrompt> {
  const isOfUse = isReserved && isCountedOnce(size) && isOfLength(size, sent);
  return { accountId, size, prefixes: isOfUse ? await runInSlices(prefixesOf(sent)) : null };
}

function isCountedOnce({ work, answers, hasStoredPrompt, searchUnits }: RequestSize): boolean {
  // A query is counted with every document.
  return work.length === 0 && answers === 1 && !hasStoredPrompt && searchUnits === 0;
}

function isOfLength({ promptTokens }: RequestSize, { body }: SentPrompt): boolean {
  if (promptTokens < MIN_PROMPT_TOKENS || promptTokens > MAX_PROMPT_TOKENS) return false;
  return textLength(body) <= MAX_CHARACTERS;
}

/**
 * Tokens of prompts as providers counted them, by account, endpoint, credential and the whole conversation: what was learned
 * over one credential is not used for another.
 */
export class KnownPrompts {
  readonly #known = new OwnedMap<number>(MAX_KNOWN);

  /** The size with the provider's own count of what it has counted before; only what is new is counted by bytes. */
  sizeFor(attempt: Attempt, { accountId, size, prefixes }: MeasuredPrompt): RequestSize {
    if (prefixes === null) return size;
    const { hashes, messages } = prefixes;
    const scope = scopeOf(attempt);
    for (let length = hashes.length; length > 0; length -= 1) {
      const tokens = this.#known.get(accountId, scope + hashes[length - 1]);
      if (tokens === undefined) continue;
      const { high, hasFiles, images } = messagesHigh(messages.slice(length));
      const whole = promptTokensAt(size, attempt.endpoint);
      const added = high + moreImageTokens(images, attempt.endpoint);
      const least = Math.ceil(whole / MAX_BYTES_PER_TOKEN);
      return {
        ...size,
        promptTokens: Math.min(Math.max(tokens + added, least), whole),
        promptImages: [],
        fillsContext: size.fillsContext && hasFiles,
      };
    }
    return size;
  }

  /** Learns what the provider has counted, or forgets a conversation of which it counts more than was reserved. */
  learn(attempt: Attempt, prompt: MeasuredPrompt, promptTokens: number): void {
    const { accountId, prefixes } = prompt;
    if (prefixes === null || prefixes.hashes.length < prefixes.messages.length) return;
    const { hashes } = prefixes;
    const scope = scopeOf(attempt);
    if (promptTokens > promptTokensAt(this.sizeFor(attempt, prompt), attempt.endpoint)) {
      for (const hash of hashes) this.#known.delete(accountId, scope + hash);
    } else this.#known.set(accountId, scope + hashes.at(-1), promptTokens);
  }
}

function scopeOf({ endpoint, key }: Attempt): string {
  return `${endpoint.id} ${endpoint.upstreamModelId} ${key?.id ?? ''} `;
}
