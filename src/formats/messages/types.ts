/**
 * Anthropic's Messages format on the wire, plain JSON in snake_case: `docs/messages-translation.md`. Types with an index
 * signature keep unknown members.
 */

import type { JsonObject, Usage } from '../chat/types.js';
import type { RoutingMembers } from '../routing-members.js';

/** A request. Its members are unknown until they are read, since clients send members that are newer than this type. */
export interface MessagesBody extends RoutingMembers {
  readonly max_tokens?: number;
  readonly messages: readonly unknown[];
  readonly system?: unknown;
  readonly stream?: boolean;
  readonly [member: string]: unknown;
}

/** A content block of a message. */
export interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

/** An answer in one piece. Members that the vendor's types require are null if there is nothing to say. */
export interface MessagesAnswer {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly ContentBlock[];
  /** null until the end of a stream. */
  readonly stop_reason: StopReason | null;
  readonly stop_sequence: string | null;
  readonly stop_details: JsonObject | null;
  readonly container: JsonObject | null;
  readonly diagnostics: null;
  readonly usage: MessagesUsage;
}

/** Tokens that were read from or written to a cache are not included in `input_tokens`. */
export interface MessagesUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  } | null;
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly thinking_tokens: number } | null;
  readonly server_tool_use: null;
  readonly service_tier: string | null;
  readonly inference_geo: null;
  readonly speed: null;
  /** The gateway's own, as in a chat's usage. Missing in the estimate at the start of a stream. */
  readonly cost?: Usage['cost'];
  readonly is_byok?: Usage['is_byok'];
  readonly cost_details?: Usage['cost_details'];
}

/** An event of a stream. As a server-sent event it is named by its `type`. */
export type MessagesEvent =
  | { readonly type: 'message_start'; readonly message: MessagesAnswer }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: ContentBlock }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: ContentBlock }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | {
      readonly type: 'message_delta';
      readonly delta: Pick<MessagesAnswer, 'stop_reason' | 'stop_sequence' | 'stop_details' | 'container'>;
      readonly usage: MessagesUsage;
    }
  | { readonly type: 'message_stop' }
  | { readonly type: 'ping' }
  | ErrorEvent;

/** The body of an error, and the last event of a stream that fails. */
export interface ErrorEvent {
  readonly type: 'error';
  readonly error: {
    readonly type: ErrorType;
    readonly message: string;
    /** The gateway's own: reason, violations, and what providers said. */
    readonly metadata: JsonObject;
  };
  readonly request_id: string;
}

/** Source: https://docs.claude.com/en/api/errors */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'api_error'
  | 'overloaded_error';
