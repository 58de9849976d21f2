/** What differs between hosts that speak the same protocol: `docs/catalog.md#quirks`. */

import type { ChatContract } from './chat-contract.js';

export type QuirkMembers = Readonly<Record<string, unknown>>;

/** A missing member is the host's default: see `src/providers/openai/chat/hosts.ts`. */
export interface Quirks {
  /** The member that limits the tokens of an answer. */
  readonly maxTokensMember?: TokenLimitMember;
  /** Whether the role `developer` is known; elsewhere such messages become `system`. */
  readonly developerRole?: boolean;
  /** Members that turn reasoning on where a request asks for it, beside `reasoning_effort`. */
  readonly reasoningOn?: QuirkMembers;
  /** Members that turn reasoning off, instead of `reasoning_effort`. */
  readonly reasoningOff?: QuirkMembers;
  /** The member in which the reasoning of earlier tool calls is required; null = it is not sent back. */
  readonly reasoningMember?: string | null;
  /** Added to the `stream_options` of every stream; null = the host has no such member. */
  readonly streamOptions?: QuirkMembers | null;
  /** The host's names of members of a request; null = it refuses them. */
  readonly members?: Readonly<Record<string, string | null>>;
  /** Words of JSON Schema that it refuses in strict tools and response formats. */
  readonly schemaWithout?: readonly string[];
  /** Whether `cache_control` of prompts is sent. */
  readonly cacheControl?: boolean;
  /** What it takes of a chat, where that is not what its host is known to take. */
  readonly contract?: Partial<ChatContract>;
  /** Where the host's usage has a count, as a path; it goes before the paths that are read anyway. */
  readonly usage?: UsagePaths;
  /** Whether cached tokens are part of the host's count of the prompt; without it, as the counts themselves show. */
  readonly cachedTokens?: CachedTokens;
  /** What finish reasons of the host mean; it goes before what is known of all hosts. */
  readonly finishReasons?: Readonly<Record<string, FinishMeaning>>;
  /** Inputs of a request for embeddings that it takes in a call; more are sent in parts. */
  readonly maxInputs?: number;
  /** Azure: the `api-version` of a resource's URLs, or `v1` for the path without one. */
  readonly apiVersion?: string;
}

export const TOKEN_LIMIT_MEMBERS = ['max_tokens', 'max_completion_tokens'] as const;
export type TokenLimitMember = (typeof TOKEN_LIMIT_MEMBERS)[number];

/** The counts whose place a host may have for itself. */
export const USAGE_COUNTS = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'web_searches',
] as const;
export type UsageCount = (typeof USAGE_COUNTS)[number];

export const CACHED_TOKENS = ['inside', 'beside'] as const;
export type CachedTokens = (typeof CACHED_TOKENS)[number];

/** `error`: the answer broke off, and is no complete one. */
export const FINISH_MEANINGS = ['stop', 'length', 'tool_calls', 'content_filter', 'error'] as const;
export type FinishMeaning = (typeof FINISH_MEANINGS)[number];

/** Names of members below `usage`, with dots between them. */
export type UsagePaths = Readonly<Partial<Record<UsageCount, string>>>;

/** The same with this quirk; the very object where it has it already. */
export function withQuirk<Owner extends { readonly quirks: Quirks }, Name extends keyof Quirks>(
  owner: Owner,
  name: Name,
  value: Quirks[Name],
): Owner {
  if (owner.quirks[name] === value) return owner;
  return { ...owner, quirks: mergeQuirks(owner.quirks, { [name]: value }) };
}

/** Later quirks win member by member, and in `members`, `usage`, `contract` and `finishReasons` name by name. */
export function mergeQuirks(...layers: readonly (Quirks | undefined)[]): Quirks {
  const members = Object.assign({}, ...layers.map((layer) => layer?.members));
  const usage = Object.assign({}, ...layers.map((layer) => layer?.usage));
  const contract = Object.assign({}, ...layers.map((layer) => layer?.contract));
  const finishReasons = Object.assign({}, ...layers.map((layer) => layer?.finishReasons));
  return Object.assign(
    {},
    ...layers,
    Object.keys(members).length > 0 && { members },
    Object.keys(usage).length > 0 && { usage },
    Object.keys(contract).length > 0 && { contract },
    Object.keys(finishReasons).length > 0 && { finishReasons },
  );
}
