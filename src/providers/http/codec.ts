/** How a provider's folder describes its protocol. `createAdapter` makes an adapter of it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Redactor } from '../../byok/redaction/redactor.js';
import type { Endpoint, Format } from '../../catalog/types.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type { GivenMode } from '../../formats/modes/served-mode.js';
import type { UpstreamAnswer, UpstreamCall, UpstreamEvent } from '../../inference/ports/adapter.js';
import type { UpstreamFailure } from '../../inference/ports/failure.js';
import type { ErrorResponse } from '../common/error-response.js';
import { AS_GIVEN, type RenamedTools } from '../fit/chat/tool-names.js';
import type { HttpRequest, HttpResponse } from './http.js';
import type { EventDecoder } from './provider-stream.js';

/** How calls are sent, and a codec for each format; null if calls in the format can't be made. */
export interface HttpProvider<Credential> {
  readonly send: Send<Credential>;
  readonly formats: {
    readonly [F in Format]: Codec<Credential, F> | ((endpoint: Endpoint) => Codec<Credential, F>) | null;
  };
}

/** Sends a request with its authentication. Secrets that are created for it are added to the redactor. */
export type Send<Credential> = (
  request: Pick<HttpRequest, 'url' | 'headers' | 'body'>,
  call: UpstreamCall<Credential>,
  redactor: Redactor,
) => Promise<HttpResponse>;

/** Writes calls of one format for a host, and reads its answers. */
export interface Codec<Credential, F extends Format = Format> {
  /** How much of an answer in one piece is read. */
  readonly maxAnswerBytes: number;
  /** Whether long lists of numbers in an answer become `Float64Array`s. */
  readonly packsNumbers?: boolean;
  /** For hosts that take some calls only in parts. A codec without it sends every call as one. */
  readonly parts?: CallParts<Credential, F>;
  /** The media type of streams. */
  readonly streamType: string;
  /** The call as its host takes it. Throws `UpstreamFailure` for what can't be made so. */
  fit(call: UpstreamCall<Credential, F>): Fitted<Credential, F>;
  /** Whether the answer to the fitted call may be streamed; else it is asked for in one piece. A codec without it streams all. */
  streams?(call: UpstreamCall<Credential, F>): boolean;
  /** Throws `UpstreamFailure` for what the host does not take, an Error where the call can't be made at all. */
  request(call: UpstreamCall<Credential, F>, isStreamed: boolean): Outgoing | Promise<Outgoing>;
  /** What the headers of an answer say of its mode. */
  modeIn?(headers: IncomingHttpHeaders): GivenMode | undefined;
  /**
   * Reads an answer in one piece; `json` is undefined if it was not JSON. Throws `UpstreamFailure`, including one that
   * the answer reports.
   */
  answer(json: unknown, call: UpstreamCall<Credential, F>, headers: IncomingHttpHeaders): UpstreamAnswer<F>;
  /** As `answer`, if a stream was requested: the events that the stream would have had. */
  wholeEvents(json: unknown, call: UpstreamCall<Credential, F>): readonly UpstreamEvent[];
  /** A decoder for the bytes of one stream. */
  decoder(call: UpstreamCall<Credential, F>): EventDecoder;
  failure(response: ErrorResponse, refused: RefusedCall<Credential, F>): UpstreamFailure;
  /** null if the host does not count the tokens of prompts. */
  readonly counter: TokenCounter<Credential, F> | null;
}

/** A call that its host takes, and what tools are called in its answer. */
export interface Fitted<Credential, F extends Format = Format> {
  readonly call: UpstreamCall<Credential, F>;
  readonly names: RenamedTools;
}

/** For hosts that take every call of the format. */
export function asGiven<Credential, F extends Format>(
  call: UpstreamCall<Credential, F>,
): Fitted<Credential, F> {
  return { call, names: AS_GIVEN };
}

/** How a call is sent in parts. */
export interface CallParts<Credential, F extends Format> {
  /** One or more, in the order of what they ask for. */
  of(call: UpstreamCall<Credential, F>): readonly UpstreamCall<Credential, F>[];
  /** The answer to the whole call, of those to its parts, in their order. */
  joined(answers: readonly UpstreamAnswer<F>[]): UpstreamAnswer<F>;
}

/** A request, but for what authenticates it and says what is accepted. */
export interface Outgoing {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** A call that was answered with an error status. */
export interface RefusedCall<Credential, F extends Format = Format> {
  readonly call: UpstreamCall<Credential, F>;
  readonly isStreamed: boolean;
  /** Whether the response is longer than what was read of it. */
  readonly isCut: boolean;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Counts the tokens of a prompt. */
export interface TokenCounter<Credential, F extends Format = Format> {
  request(call: UpstreamCall<Credential, F>): Outgoing | Promise<Outgoing>;
  /** The count in an answer with this text. Throws `UpstreamFailure` if there is none. */
  read(text: string): number;
}
