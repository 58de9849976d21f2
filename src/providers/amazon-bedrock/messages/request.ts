/**
 * InvokeModel, which takes requests to Anthropic's models in their own format:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 */
import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { betasIn } from '../../../formats/messages/headers.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import { requestAtHost } from '../../anthropic/messages/host-betas.js';
import { hostedBody } from '../../anthropic/messages/request.js';
import type { Outgoing } from '../../http/codec.js';
import { modelUrl } from '../host/url.js';
import { BETAS } from './betas.js';

const ANTHROPIC_VERSION = 'bedrock-2023-05-31';

/** Throws as `modelUrl` does. */
export function invokeRequest(
  call: UpstreamCall<BedrockCredential, 'messages'>,
  isStreamed: boolean,
): Outgoing {
  const url = modelUrl(call, isStreamed ? 'invoke-with-response-stream' : 'invoke');
  return { url, headers: {}, body: invokeBody(call) };
}

/**
 * The operation decides whether the answer is streamed, so the body does not say it. Members that Bedrock refuses are
 * left out if the answer is the same without them; all others it refuses itself.
 */
function invokeBody({ body, apiHeaders }: UpstreamCall<BedrockCredential, 'messages'>): JsonObject {
  const request = requestAtHost(BETAS, body, betasIn(apiHeaders));
  const { metadata, service_tier, container, inference_geo, ...others } = hostedBody(
    request.body,
    ANTHROPIC_VERSION,
  );
  const sent = {
    ...others,
    ...(isGiven(container) && { container }),
    ...(isGiven(inference_geo) && inference_geo !== 'global' && { inference_geo }),
  };
  return request.betas.length === 0 ? sent : { ...sent, anthropic_beta: request.betas };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
