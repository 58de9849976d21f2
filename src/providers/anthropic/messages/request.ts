/** Requests in the Messages format, for endpoints that speak it. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { betasIn, versionIn } from '../../../formats/messages/headers.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Outgoing } from '../../http/codec.js';
import { messagesHeaders, targetHeaders } from '../host/headers.js';
import type { MessagesTarget } from '../host/target.js';

type Call = UpstreamCall<unknown, 'messages'>;

/** The request as it came, except for the provider's name of the model and whether the answer is streamed. */
export function nativeRequest(target: MessagesTarget, call: Call, isStreamed: boolean): Outgoing {
  const { body } = call;
  const isSaid = isStreamed || body.stream !== undefined;
  return {
    url: target.url,
    headers: headersOf(target, call),
    body: { ...body, model: target.model, ...(isSaid && { stream: isStreamed }) },
  };
}

/** Counts are free in every mode, and the operation has no members for them. */
export function withoutMode({ service_tier, speed, inference_geo, ...body }: JsonObject): JsonObject {
  return body;
}

/** Members without influence on the count: https://platform.claude.com/docs/en/build-with-claude/token-counting */
export function countRequest(target: MessagesTarget, call: Call): Outgoing {
  const { origin, pathname, search } = target.url;
  return {
    url: new URL(`${origin}${pathname}/count_tokens${search}`),
    headers: headersOf(target, call),
    body: { ...withoutMode(call.body), model: target.model },
  };
}

function headersOf(target: MessagesTarget, call: Call): Outgoing['headers'] {
  const { apiHeaders } = call;
  return { ...messagesHeaders(betasIn(apiHeaders), versionIn(apiHeaders)), ...targetHeaders(target, call) };
}

/** The body for hosts that have the model in the URL and the API's version in the body. */
export function hostedBody(body: JsonObject, anthropic_version: string): JsonObject {
  const { model, stream, ...rest } = body;
  return { ...rest, anthropic_version };
}
