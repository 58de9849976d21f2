import type { HandlerContext } from '@connectrpc/connect';
import { mapStream, type PushStream } from '../base/push-stream.js';
import type { ApiHeaders } from '../formats/api-headers.js';
import { BETA_HEADER, VERSION_HEADER } from '../formats/messages/headers.js';
import { CLAUDE_CODE_SESSION, sessionOf } from '../formats/session.js';
import { adaptedHeader } from '../inference/attempts/adapted-members.js';
import { saidBy } from '../inference/facts/chat-facts.js';
import type { InferenceCall } from '../inference/inference.js';
import type { InferenceRequest, SentRequest } from '../inference/ports/inference-request.js';
import { preferencesOf } from '../routing/plan/preferences.js';
import { callerOf, principalOf } from './caller.js';

/** Header of every answer: the identifier of its generation record. */
export const GENERATION_ID = 'x-generation-id';

/** Header of an answer: the members of the request that were sent otherwise than written, or not. */
const ADAPTED = 'x-byway-adapted';

/** Says in the head of an answer what was adapted; where that has gone already, only the record does. */
export function tellAdapted({ responseHeader }: HandlerContext, adapted: readonly string[]): void {
  const header = adaptedHeader(adapted);
  if (header !== undefined) responseHeader.set(ADAPTED, header);
}

/** Counts open streams. */
export interface StreamMeter {
  streamOpened(): void;
  streamClosed(): void;
}

/** What a call is told before its answer begins. */
export type CallListeners = Pick<InferenceCall<object, object>, 'onAdmitted' | 'onServed'>;

/**
 * The stream that `open` gives. It is counted, and has the generation's id as a header from the admission on, since an
 * answer may begin before its first item. A call that fails before its admission has no answer, and so no such header.
 */
export function answerStream<T extends object, U extends object = T>(
  context: HandlerContext,
  meter: StreamMeter,
  open: (listeners: CallListeners) => PushStream<T>,
  map: (items: readonly T[]) => readonly U[],
): PushStream<U> {
  const { responseHeader } = context;
  let hasBegun = false;
  meter.streamOpened();
  const stream = open({
    onAdmitted: (id) => responseHeader.set(GENERATION_ID, id),
    onServed: (adapted) => tellAdapted(context, adapted),
  });
  return mapStream(stream, {
    items(items) {
      hasBegun = true;
      return map(items);
    },
    error(thrown) {
      if (!hasBegun) responseHeader.delete(GENERATION_ID);
      return thrown;
    },
    closed: () => meter.streamClosed(),
  });
}

/** A request with its caller and what its headers say. */
export function inferenceRequest(sent: SentRequest, context: HandlerContext): InferenceRequest {
  const { keyHash, accountId, workspaceId, userId, plan, limit } = principalOf(context, 'api_key');
  const { region, requestId, baseUrl } = callerOf(context);
  const apiHeaders = apiHeadersIn(context.requestHeader);
  return {
    ...saidBy(sent),
    preferences: preferencesOf(sent.chat.provider),
    caller: { apiKeyHash: keyHash, region, baseUrl, accountId, workspaceId, userId, plan, limit },
    requestId,
    session: sessionOf(context.requestHeader.get(CLAUDE_CODE_SESSION), sent.chat),
    signal: context.signal,
    ...(apiHeaders !== undefined && { apiHeaders }),
  };
}

/** More names than anybody needs; longer ones are nobody's. */
const MAX_BETAS = 50;
const BETA = /^[\w.-]{1,100}$/;

const VERSION = /^[\w.-]{1,40}$/;

/** The headers of other APIs than that of chats that a host may be told; undefined without any. */
function apiHeadersIn(headers: Headers): ApiHeaders | undefined {
  const betas = betasIn(headers.get(BETA_HEADER));
  const version = headers.get(VERSION_HEADER) ?? '';
  const hasVersion = VERSION.test(version);
  if (betas.length === 0 && !hasVersion) return undefined;
  return {
    ...(betas.length > 0 && { [BETA_HEADER]: betas }),
    ...(hasVersion && { [VERSION_HEADER]: [version] }),
  };
}

function betasIn(header: string | null): string[] {
  const names = (header ?? '').split(',', MAX_BETAS).map((name) => name.trim());
  return names.filter((name) => BETA.test(name));
}
