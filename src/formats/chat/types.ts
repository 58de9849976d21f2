/**
 * The chat-completion dialect as it goes over the wire: plain JSON in snake_case (interface sections 5 and 6). Types
 * with an index signature keep members that are not named here; the doors and the providers see the same JSON.
 */

import type { RoutingMembers } from '../routing-members.js';

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

/** A JSON object whose members are nobody's business here. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A message of the conversation, from whichever role. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly ContentPart[] | null;
  readonly name?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly [member: string]: unknown;
}

/** A piece of a message: text, or media in a member named as its `type`. */
export interface ContentPart {
  readonly type: string;
  readonly text?: string;
  readonly [member: string]: unknown;
}

/** A tool that the model may call. */
export interface ChatTool {
  readonly type: string;
  readonly function?: JsonObject;
  readonly [member: string]: unknown;
}

/** A call of a tool; in streams `index` says which one a fragment belongs to, `id` and `name` come once. */
export interface ToolCall {
  readonly index?: number;
  readonly id?: string;
  readonly type?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
  readonly [member: string]: unknown;
}

/** Why an answer ended, in our words; the provider's word is `native_finish_reason`. */
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
}

/** One of the answers; a request that asks for no more gets one, with index 0. */
export interface AnswerChoice {
  readonly index: number;
  readonly message: AssistantMessage;
  readonly finish_reason: FinishReason;
  /** The provider's own word. */
  readonly native_finish_reason: string | null;
  readonly logprobs: JsonObject | null;
}

/** What the model said; `content` is null where it said nothing but tool calls. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly refusal: string | null;
  readonly reasoning?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly [member: string]: unknown;
}

/** A piece of a streamed answer. `usage` stands in the last chunk alone, `error` in the one a broken stream ends with. */
export interface ChatChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  readonly provider: string;
  readonly choices: readonly ChunkChoice[];
  readonly usage?: Usage;
  readonly error?: { readonly code: number; readonly message: string };
  readonly system_fingerprint: string | null;
}

/** What a chunk adds to one choice; the reasons stand in its last chunk. */
export interface ChunkChoice {
  readonly index: number;
  readonly delta: ChunkDelta;
  readonly finish_reason: FinishReason | null;
  readonly native_finish_reason: string | null;
  readonly logprobs: JsonObject | null;
}

/** What is added to a message: texts are appended to what came before. */
export interface ChunkDelta {
  readonly role?: string;
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly [member: string]: unknown;
}

/** What was used and what it cost, in USD (interface section 5). */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: {
    readonly cached_tokens: number;
    readonly cache_write_tokens: number;
    readonly audio_tokens: number;
  };
  readonly completion_tokens_details: { readonly reasoning_tokens: number; readonly audio_tokens: number };
  /** Charged to credits; over a BYOK key: the fee. */
  readonly cost: number;
  readonly is_byok: boolean;
  readonly cost_details: {
    /** List-price cost over a BYOK key; null on shared capacity. */
    readonly upstream_inference_cost: number | null;
    readonly upstream_inference_prompt_cost: number;
    readonly upstream_inference_completions_cost: number;
  };
}
