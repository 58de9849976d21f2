import type { JsonObject } from '@bufbuild/protobuf';
import { Api } from '../../gen/byway/options/v1/options_pb.js';
import type { FailureDetails } from '../base/problem.js';

/** What failed, as it is answered over HTTP. */
export interface Failed extends FailureDetails {
  /** Seconds. */
  readonly retryAfter: string | null;
  /** What is left of the caller's tightest limit, in USD. */
  readonly remainingUsd: string | null;
  /** The user that the caller acts as, where the error itself says so. */
  readonly userId?: string | undefined;
}

/** Writes errors as the clients of an API expect them; `body` is JSON. */
export type ErrorForm = (
  failed: Failed,
  requestId: string,
) => { readonly status: number; readonly body: string };

/** What the clients of another maker's API expect beyond the messages of its operations; what is missing is the gateway's own. */
export interface ApiConventions {
  /** A header of requests that all of the API's clients send. */
  readonly clientHeader?: string;
  /** The header of answers in which they look for the request's id. */
  readonly requestIdHeader?: string;
  readonly errorForm?: ErrorForm;
  /** The body of a request, which is JSON, in the API's own form, where clients send others. Throws a 400 Problem. */
  readonly ownForm?: (body: JsonObject) => object;
  /** Members that `error` has besides those of the gateway's own envelope. */
  readonly errorWords?: (failed: FailureDetails) => object;
  readonly events?: EventFormat;
  readonly openapi?: ApiDescription;
}

/** How the messages of a stream become server-sent events. */
export interface EventFormat {
  /** `json` is the message as text. */
  event(message: object, json: string): string;
  /** Sent behind the last message of a stream that ended well. */
  readonly end?: string;
  readonly ping: Ping;
  /** The error of a stream of which nothing but pings was sent; without it, such a stream ends. */
  error?(failed: Failed, requestId: string): string;
}

/** What shows that a stream lives while nothing else is sent. */
export interface Ping {
  readonly text: string;
  /** Whether the answer may begin with it. */
  readonly isFirst: boolean;
  /** How many times `BYWAY_PING_MS` passes before it. */
  readonly afterPings: number;
}

/** The API in the OpenAPI document. */
export interface ApiDescription {
  /** The schema of the body of every error, and its name. */
  readonly error: { readonly name: string; readonly schema: JsonObject };
  /** The answers of errors by status, `default` for all others. */
  readonly responses: Readonly<Record<string, ErrorResponse>>;
  /** What the events of a stream are, in words. */
  readonly events: string;
}

interface ErrorResponse {
  /** What the document calls the response. */
  readonly name: string;
  readonly description: string;
  /** Whether it says when to try again. */
  readonly hasRetryAfter: boolean;
}

/** The APIs of other makers: each has its conventions. */
export type Apis = Readonly<Record<Exclude<Api, Api.UNSPECIFIED>, ApiConventions>>;

/** undefined = this gateway's own. */
export function conventionsOf(apis: Apis, api: Api): ApiConventions | undefined {
  return api === Api.UNSPECIFIED ? undefined : apis[api];
}
