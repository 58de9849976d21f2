/**
 * The chat completion format on the wire, plain JSON in snake_case: `docs/formats.md`. Types with an index signature
 * keep unknown members; transports and providers see the same JSON.
 */

import type { JsonObject } from '../json.js';
import type { RoutingMembers } from '../routing-members.js';
import type { ErrorWords } from './error.js';

export type { JsonObject } from '../json.js';

/** A chat request. */
export interface ChatBody extends RoutingMembers {
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly stop?: string | readonly string[];
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: unknown;
  readonly response_format?: JsonObject;
  readonly reasoning?: JsonObject;
  readonly user?: string;
  readonly [member: string]: unknown;
}

/** A message of the conversation, from whichever role. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly ContentPart[] | null;
  readonly name?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly [member: string]: unknown;
}

/** A content part: text, or media in a member named like its `type`. */
export interface ContentPart {
  readonly type: string;
  readonly text?: string;
  readonly [member: string]: unknown;
}

export interface ChatTool {
  readonly type: string;
  readonly function?: JsonObject;
  readonly [member: string]: unknown;
}

/** In streams, `index` tells which call a fragment belongs to; `id` and `name` come once. */
export interface ToolCall {
  readonly index?: number;
  readonly id?: string;
  readonly type?: string;
  readonly function?: FunctionCall;
  readonly [member: string]: unknown;
}

export interface FunctionCall {
  readonly name?: string;
  /** JSON text. */
  readonly arguments?: string;
  readonly [member: string]: unknown;
}

/** The normalized finish reason; the provider's own is `native_finish_reason`. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';

/** An answer in one piece. */
export interface ChatAnswer {
  readonly id: string;
  readonly object: 'chat.completion';
  /** Unix seconds. */
  readonly created: number;
  /** Id of the model that served. */
  readonly model: string;
  /** Slug of the provider that served. */
  readonly provider: string;
  readonly choices: readonly AnswerChoice[];
  readonly usage: Usage;
  readonly system_fingerprint: string | null;
  readonly [member: string]: unknown;
}

/** One of the requested `n` answers. */
export interface AnswerChoice {
  readonly index: number;
  readonly message: AssistantMessage;
  readonly finish_reason: FinishReason;
  /** The provider's own finish reason. */
  readonly native_finish_reason: string | null;
  readonly logprobs: JsonObject | null;
}

/** The model's message; `content` is null where it only calls tools. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly refusal: string | null;
  readonly reasoning?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly [member: string]: unknown;
}

/** A chunk of a streamed answer. Only the last chunk has `usage`, and only the last one of a failed stream `error`. */
export interface ChatChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  readonly provider: string;
  readonly choices: readonly ChunkChoice[];
  readonly usage?: Usage;
  readonly error?: ErrorWords & {
    readonly code: number;
    readonly message: string;
    readonly metadata?: JsonObject;
  };
  /** Missing where the provider sends none: the clients of some vendors refuse null here. */
  readonly system_fingerprint?: string;
  readonly [member: string]: unknown;
}

/** What a chunk adds to one choice; the finish reasons come in its last chunk. */
export interface ChunkChoice {
  readonly index: number;
  readonly delta: ChunkDelta;
  readonly finish_reason: FinishReason | null;
  readonly native_finish_reason: string | null;
  readonly logprobs: JsonObject | null;
}

/** An addition to a message: texts are appended. */
export interface ChunkDelta {
  readonly role?: string;
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly [member: string]: unknown;
}

/** Tokens and costs in USD: `docs/money.md#usage-in-an-answer`. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: {
    readonly cached_tokens: number;
    readonly cache_write_tokens: number;
    readonly audio_tokens: number;
  };
  readonly completion_tokens_details: {
    readonly reasoning_tokens: number;
    readonly audio_tokens: number;
    readonly image_tokens?: number;
  };
  /** Of a reranking. */
  readonly search_units?: number;
  /** Charged to credits; with a BYOK key, the fee. */
  readonly cost: number;
  readonly is_byok: boolean;
  readonly cost_details: {
    /** List-price cost with a BYOK key; null on shared capacity. */
    readonly upstream_inference_cost: number | null;
    readonly upstream_inference_prompt_cost: number;
    readonly upstream_inference_completions_cost: number;
  };
  /** The answer is one of the cache: it costs nothing, and the tokens are those that it has once used. */
  readonly cached?: true;
}
