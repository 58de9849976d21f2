/**
 * InvokeModel, which takes requests to Anthropic's models in their own format:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 */
import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { betasIn } from '../../../formats/messages/headers.js';
import { asksForNoTier, hostTier, tiersAt } from '../../../formats/modes/host-tiers.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import { requestAtHost } from '../../anthropic/messages/host-betas.js';
import { hostedBody } from '../../anthropic/messages/request.js';
import type { Outgoing } from '../../http/codec.js';
import { modelUrl } from '../host/url.js';
import { BETAS } from './betas.js';

type Call = UpstreamCall<BedrockCredential, 'messages'>;

const ANTHROPIC_VERSION = 'bedrock-2023-05-31';

/** Throws as `modelUrl` does. */
export function invokeRequest(call: Call, isStreamed: boolean): Outgoing {
  const url = modelUrl(call, isStreamed ? 'invoke-with-response-stream' : 'invoke');
  return { url, headers: tierHeader(call), body: invokeBody(call) };
}

/** Both ways: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html */
export const TIER_HEADER = 'x-amzn-bedrock-service-tier';

function tierHeader({ body, endpoint, provider, onAdapted }: Call): Outgoing['headers'] {
  const { service_tier } = body;
  const tier = hostTier(service_tier, tiersAt(endpoint, provider, 'messages'));
  if (typeof tier === 'string') return { [TIER_HEADER]: tier };
  if (!asksForNoTier(service_tier)) onAdapted?.('service_tier', 'left_out');
  return {};
}

/**
 * The operation decides whether the answer is streamed, so the body does not say it. Members that Bedrock refuses are
 * left out if the answer is the same without them; all others it refuses itself.
 */
function invokeBody({ body, apiHeaders }: Call): JsonObject {
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
