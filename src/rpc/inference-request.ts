import type { HandlerContext } from '@connectrpc/connect';
import { cacheTtlOf } from '../formats/cache-control.js';
import { sessionOf } from '../formats/session/name.js';
import { apiHeadersIn } from '../formats/shared-capacity/passed-headers.js';
import { CACHED_FORMATS } from '../inference/cache/cached-formats.js';
import { saidBy } from '../inference/facts/chat-facts.js';
import { type InferenceRequest, type SentRequest, sentBody } from '../inference/ports/inference-request.js';
import { preferencesOf } from '../routing/plan/preferences.js';
import { attributionOf } from './attribution.js';
import { callerOf, principalOf } from './caller.js';

/** A request with its caller and what its headers say. */
export function inferenceRequest(sent: SentRequest, context: HandlerContext): InferenceRequest {
  const { keyHash, accountId, workspaceId, userId, plan, limit, endUsers, cacheTtl } = principalOf(
    context,
    'api_key',
  );
  const { region, requestId, baseUrl } = callerOf(context);
  // One literal: spreading would take longer than the rest of a short chat's admission.
  return {
    sent,
    facts: saidBy(sent).facts,
    preferences: preferencesOf(sent.chat.provider),
    caller: { apiKeyHash: keyHash, region, baseUrl, accountId, workspaceId, userId, plan, limit, endUsers },
    requestId,
    cacheTtl: CACHED_FORMATS[sent.format] === null ? null : cacheTtlOf(sent.chat, cacheTtl),
    session: sessionOf(context.requestHeader, sentBody(sent)),
    attribution: attributionOf(context, sent),
    signal: context.signal,
    apiHeaders: apiHeadersIn(context.requestHeader),
  };
}
