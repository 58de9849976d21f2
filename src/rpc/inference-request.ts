import type { HandlerContext } from '@connectrpc/connect';
import type { ChatBody } from '../formats/chat/types.js';
import type { InferenceRequest } from '../inference/inference-request.js';
import { preferencesOf } from '../routing/plan/preferences.js';
import { callerOf, principalOf } from './caller.js';

/** Header of every answer: the identifier of its generation record. */
export const GENERATION_ID = 'x-generation-id';

/** Names beta features of Anthropic's, as its own clients do. */
const ANTHROPIC_BETA = 'anthropic-beta';

/** The request for a chat, with its caller and what its headers say. */
export function inferenceRequest(body: ChatBody, context: HandlerContext): InferenceRequest {
  const { keyHash: apiKeyHash, ...principal } = principalOf(context, 'api_key');
  const { region, requestId } = callerOf(context);
  const betas = betasIn(context.requestHeader.get(ANTHROPIC_BETA));
  return {
    body,
    ...(betas.length > 0 && { betas }),
    preferences: preferencesOf(body.provider),
    caller: { apiKeyHash, region, ...principal },
    requestId,
    signal: context.signal,
  };
}

/** More names than anybody needs; longer ones are nobody's. */
const MAX_BETAS = 50;
const BETA = /^[\w.-]{1,100}$/;

function betasIn(header: string | null): string[] {
  const names = (header ?? '').split(',', MAX_BETAS).map((name) => name.trim());
  return names.filter((name) => BETA.test(name));
}
