/**
 * OpenAI's Responses format on the wire, plain JSON in snake_case: `docs/responses.md`. Types with an index signature keep
 * unknown members.
 */
import type { JsonObject, Usage } from '../chat/types.js';
import type { RoutingMembers } from '../routing-members.js';

/** A request. Its members are unknown until they are read, since clients send members that are newer than this type. */
export interface ResponsesBody extends RoutingMembers {
  readonly input?: unknown;
  readonly instructions?: unknown;
  readonly stream?: boolean;
  readonly max_output_tokens?: number;
  readonly [member: string]: unknown;
}

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed';

/** An answer in one piece, or as far as it got. All of its members are always there. */
export interface ResponseObject {
  readonly id: string;
  readonly object: 'response';
  /** Unix seconds. */
  readonly created_at: number;
  /** Unix seconds; null until it is completed. */
  readonly completed_at: number | null;
  readonly status: ResponseStatus;
  readonly model: string;
  readonly output: readonly OutputItem[];
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly incomplete_details: { readonly reason: 'max_output_tokens' | 'content_filter' } | null;
  readonly usage: ResponseUsage | null;
  /** What of the request is given back. */
  readonly [member: string]: unknown;
}

/** What the answer consists of, in the order of its writing. */
export type OutputItem = MessageItem | ReasoningItem | FunctionCallItem | CustomToolCallItem | ImageItem;

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  readonly status: ItemStatus;
  readonly role: 'assistant';
  readonly content: readonly MessagePart[];
}

export type MessagePart =
  | {
      readonly type: 'output_text';
      readonly text: string;
      readonly annotations: readonly JsonObject[];
      readonly logprobs: readonly JsonObject[];
    }
  | { readonly type: 'refusal'; readonly refusal: string };

export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id: string;
  readonly summary: readonly SummaryText[];
  readonly content?: readonly ReasoningText[];
  readonly encrypted_content?: string;
}

export interface SummaryText {
  readonly type: 'summary_text';
  readonly text: string;
}

export interface ReasoningText {
  readonly type: 'reasoning_text';
  readonly text: string;
}

export interface FunctionCallItem {
  readonly type: 'function_call';
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
  /** Of a function in a namespace. */
  readonly namespace?: string;
  /** JSON. */
  readonly arguments: string;
  readonly status: ItemStatus;
}

export interface CustomToolCallItem {
  readonly type: 'custom_tool_call';
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string;
  readonly input: string;
  readonly status: ItemStatus;
}

/** An image that the model made itself, as the item of the tool that makes them elsewhere. */
export interface ImageItem {
  readonly type: 'image_generation_call';
  readonly id: string;
  readonly status: ItemStatus;
  /** base64; null until it is completed. */
  readonly result: string | null;
}

/** Tokens that were read from a cache are included in `input_tokens`. */
export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
  /** The gateway's own, as in a chat's usage. */
  readonly cost: Usage['cost'];
  readonly is_byok: Usage['is_byok'];
  readonly cost_details: JsonObject;
}

/** An event of a stream. As a server-sent event it is named by its `type`. */
export interface ResponsesEvent {
  readonly type: string;
  /** Counts from 0 over the stream. */
  readonly sequence_number: number;
  readonly [member: string]: unknown;
}
