import type { Failures, Planned } from '../fake-server.js';

/** The fake's response to one request; by default a normal answer. */
export interface FakePlan extends Failures {
  /** A response of this status and body instead of a message. A string is sent as it is, anything else as JSON. */
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The words of the answer, each a token. */
  readonly words?: readonly string[];
  /** The model's thoughts, if it is to think. */
  readonly thoughts?: readonly string[];
  /** The tool that is called, and with what, where it is not the first one with a city. */
  readonly tool?: { readonly name: string; readonly input: object };
  /** All blocks of the answer, instead of the default ones. */
  readonly content?: readonly FakeBlock[];
  readonly stopReason?: string;
  /** Members of the message that are other than usual. */
  readonly message?: object;
  /** Counts that are other than usual, in the whole answer and in all reports of a stream. */
  readonly usage?: object;
  /** The whole JSON of an answer in one piece; a text is sent as it is. */
  readonly answer?: unknown;
  /** The events of a stream; a string is sent as the data of an event. */
  readonly events?: readonly (FakeEvent | string)[];
  /** The events are repeated without end. */
  readonly isEndless?: boolean;
  /** Leaves out the last event, `message_stop`. */
  readonly isStopMissing?: boolean;
  /** Leaves out the `event:` lines, as some that copy the format do. */
  readonly isNameMissing?: boolean;
  /** Leaves out the last blank line. */
  readonly isBlankLineMissing?: boolean;
  readonly lineEnd?: '\n' | '\r\n' | '\r';
  /** Blanks after the data of each event, as some send against guesses from sizes. */
  readonly padding?: string;
}

/** A plan, or what makes one of a request for a message that the fake takes. */
export type PlannedMessage = Planned<FakePlan, MessagesCall>;

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: MessagesCall;
  /** In which words the fake refused it by its rules. */
  readonly refused: string | undefined;
}

/** A block of a message, whatever its type. */
export interface FakeBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** An event of a stream. */
export interface FakeEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** A turn of the conversation. */
export interface FakeTurn {
  readonly role: string;
  readonly content: string | readonly FakeBlock[];
}

/** The members that the fake reads. */
export interface MessagesCall {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly FakeTurn[];
  readonly stream?: boolean;
  readonly tools?: readonly {
    readonly type?: string;
    readonly name: string;
    readonly input_schema?: object;
  }[];
  readonly tool_choice?: { readonly type: string; readonly name?: string };
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number; readonly display?: string };
  readonly output_config?: { readonly effort?: string; readonly format?: { readonly schema: object } };
  readonly stop_sequences?: readonly string[];
  readonly [member: string]: unknown;
}
