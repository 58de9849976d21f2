import type { FakeBlock } from '../fake-anthropic/plan.js';
import type { Failures, Planned } from '../fake-server.js';

/** The fake's response to one request; by default a normal answer. */
export interface FakePlan extends Failures {
  /** A response of this status and body instead of a chat. A string is sent as it is, anything else as JSON. */
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The words of the answer, each a chunk and a token. */
  readonly words?: readonly string[];
  /** The model's thoughts, if they are requested. */
  readonly thoughts?: readonly string[];
  /** All parts of the answer, instead of the default ones. */
  readonly parts?: readonly object[];
  /** All blocks of an answer of Anthropic's models, instead of the default ones. */
  readonly content?: readonly FakeBlock[];
  /** The end of an answer of Anthropic's models, where it is another than usual. */
  readonly stopReason?: string;
  /** How often other publishers' models call the first tool, where there is one. */
  readonly toolCalls?: number;
  /** The tool that is called, and with what, where it is not the first one with a city. */
  readonly tool?: { readonly name: string; readonly input: object };
  readonly finishReason?: string;
  /** Members of every candidate's end. */
  readonly candidate?: object;
  /** Counts that are other than usual. */
  readonly usage?: object;
  /** The whole JSON of an answer in one piece; a text is sent as it is. */
  readonly answer?: unknown;
  /** The chunks of a stream; a string is sent as the data of an event. */
  readonly chunks?: readonly unknown[];
  /** The chunks are repeated without end. */
  readonly isEndless?: boolean;
  /** Leaves out the last blank line. */
  readonly isBlankLineMissing?: boolean;
}

/** A plan, or what makes one of a request that the fake takes. */
export type PlannedContent = Planned<FakePlan, GenerateCall>;

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: GenerateCall;
  /** In which words the fake refused it by its rules. */
  readonly refused: string | undefined;
}

/** A part of a content, as far as the fake reads it. */
export interface FakePart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly name?: string; readonly args?: object; readonly id?: string };
  readonly functionResponse?: { readonly name?: string; readonly response?: object; readonly id?: string };
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string };
}

/** A turn of the conversation. */
export interface FakeContent {
  readonly role?: string;
  readonly parts: readonly FakePart[];
}

/** The members of `generateContent` that the fake reads. */
export interface GenerateCall {
  readonly contents?: readonly FakeContent[];
  readonly systemInstruction?: FakeContent;
  readonly tools?: readonly {
    readonly functionDeclarations?: readonly {
      readonly name: string;
      readonly parametersJsonSchema?: object;
    }[];
  }[];
  readonly toolConfig?: {
    readonly functionCallingConfig: {
      readonly mode: string;
      readonly allowedFunctionNames?: readonly string[];
    };
  };
  readonly generationConfig?: {
    readonly candidateCount?: number;
    readonly maxOutputTokens?: number;
    readonly responseLogprobs?: boolean;
    readonly thinkingConfig?: {
      readonly includeThoughts?: boolean;
      readonly thinkingBudget?: number;
      readonly thinkingLevel?: string;
    };
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}
