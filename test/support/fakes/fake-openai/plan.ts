import type { Failures, Planned } from '../failing-server.js';

/** The fake's response to one request; by default a normal answer. */
export interface FakePlan extends Failures {
  /** A response of this status and body instead of a chat. A string is sent as it is, anything else as JSON. */
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The words of the answer, each a chunk and a token. */
  readonly words?: readonly string[];
  readonly reasoning?: readonly string[];
  /** How the host has these: in a member of their own, or as parts of the content. */
  readonly reasoningAs?: ReasoningForm;
  /** Streams tell their usage unasked. */
  readonly isMetered?: boolean;
  /** How often the first tool is called, where there is one. */
  readonly toolCalls?: number;
  /** All calls of the answer, instead of the default ones; an answer may have words beside them. */
  readonly calls?: readonly FakeCall[];
  /** The tool that is called, and with what, where it is not the first one with a city. */
  readonly tool?: { readonly name: string; readonly input: object };
  /** Counts that are other than usual. */
  readonly usage?: object;
  /** Members beside the choices, of chunks too, that are other than usual: `service_tier`. */
  readonly members?: object;
  /** The whole JSON of an answer in one piece; a text is sent as it is. */
  readonly answer?: unknown;
  /** The chunks of a stream; a string is sent as the data of an event. */
  readonly chunks?: readonly unknown[];
  /** The chunks are repeated without end. */
  readonly isEndless?: boolean;
  /** Azure alone: filter results come beside the answer and after it, in chunks without a delta. */
  readonly isFilterAsynchronous?: boolean;
  /** Leaves out `[DONE]`. */
  readonly isDoneMissing?: boolean;
  /** Leaves out the last blank line. */
  readonly isBlankLineMissing?: boolean;
  readonly lineEnd?: '\n' | '\r\n' | '\r';
  /** A comment before each event, as some send to keep the connection alive. */
  readonly comment?: string;
  /**
   * So many comments alone after the first word: DeepSeek sends `: keep-alive` while a request waits
   * (https://api-docs.deepseek.com/quick_start/rate_limit).
   */
  readonly keepAlives?: number;
}

/** https://docs.mistral.ai/capabilities/reasoning has parts; which hosts have which member is in docs/providers/openai-compatible.md. */
export type ReasoningForm = 'reasoning_content' | 'reasoning' | 'parts';

/** A plan, or what makes one of a request that the fake takes. */
export type PlannedChat = Planned<FakePlan, ChatCall>;

/** A call of a function. */
export interface FakeCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: ChatCall;
  /** In which words the fake refused it by its rules. */
  readonly refused: string | undefined;
}

/** The members that the fake reads. */
export interface ChatCall {
  readonly model?: string;
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean; readonly include_obfuscation?: boolean };
  readonly n?: number;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
  readonly [member: string]: unknown;
}
