import type { Failures, Planned } from '../failing-server.js';
import type { FakeBlock } from '../fake-anthropic/plan.js';
import type { FakeCall } from '../fake-openai/plan.js';

/** The fake's response to one request; by default a normal answer. */
export interface FakePlan extends Failures {
  /** A response of this status and body instead of a chat. A string is sent as it is, anything else as JSON. */
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The words of the answer, each a piece and a token. */
  readonly words?: readonly string[];
  readonly reasoning?: readonly string[];
  /** Redacted thoughts, in base64. */
  readonly redacted?: string;
  /** How often the first tool is called, where there is one. */
  readonly toolCalls?: number;
  /** All calls of the answer, instead of the default ones; an answer may have words beside them. */
  readonly calls?: readonly FakeCall[];
  /** All blocks of an answer of InvokeModel, instead of the default ones. */
  readonly content?: readonly FakeBlock[];
  /** The tool that is called, and with what, where it is not the first one with a city. */
  readonly tool?: { readonly name: string; readonly input: object };
  readonly stopReason?: string;
  readonly usage?: object;
  /**
   * Members of the answer, or of the stream's last event: `serviceTier`, `performanceConfig`
   * (`ConverseResponse`, `ConverseStreamMetadataEvent` of the official client).
   */
  readonly members?: object;
  /** The whole JSON of an answer in one piece; a text is sent as it is. */
  readonly answer?: unknown;
  /** The frames of a stream; bytes go out as they are. */
  readonly frames?: readonly (FakeFrame | Buffer)[];
  /** The frames are repeated without end. */
  readonly isEndless?: boolean;
}

/** A plan, or what makes one of a request that the fake takes. */
export type PlannedConverse = Planned<FakePlan, ConverseCall>;

/** A frame of a stream: an event, or what comes instead of one. */
export interface FakeFrame {
  readonly event?: string;
  readonly exception?: string;
  readonly payload?: unknown;
  /** Headers beside those that follow from the above. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly region: string;
  readonly modelId: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: ConverseCall;
  /** In which words the fake refused it by its rules. */
  readonly refused: string | undefined;
}

/** The members that the fake reads. */
export interface ConverseCall {
  readonly messages?: readonly {
    readonly role: string;
    readonly content: readonly Readonly<Record<string, unknown>>[];
  }[];
  readonly system?: readonly unknown[];
  readonly inferenceConfig?: { readonly maxTokens?: number };
  readonly toolConfig?: {
    readonly tools?: readonly { readonly toolSpec?: { readonly name?: string } }[];
  };
  readonly additionalModelRequestFields?: {
    readonly thinking?: { readonly type?: string; readonly budget_tokens?: number };
  };
  readonly [member: string]: unknown;
}
