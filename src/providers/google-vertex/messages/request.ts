import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import { betasIn } from '../../../formats/messages/headers.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import { betaHeader } from '../../anthropic/host/headers.js';
import { requestAtHost } from '../../anthropic/messages/host-betas.js';
import { hostedBody, withoutMode } from '../../anthropic/messages/request.js';
import type { Outgoing } from '../../http/codec.js';
import { BETAS } from '../host/betas.js';
import { claudeResource, publishedModel } from '../host/publisher.js';
import { resourceUrl } from '../host/url.js';
import { ANTHROPIC_VERSION } from '../host/version.js';

type Call = UpstreamCall<VertexCredential, 'messages'>;

/** Throws as `resourceUrl` does. */
export function rawPredictRequest(call: Call, isStreamed: boolean): Outgoing {
  const { provider, credential, region, endpoint, body, apiHeaders } = call;
  const { model } = publishedModel(endpoint.upstreamModelId);
  const request = requestAtHost(BETAS, body, betasIn(apiHeaders));
  return {
    url: resourceUrl(provider, credential.projectId, region, claudeResource(model, isStreamed)),
    headers: betaHeader(request.betas),
    body: { ...hostedBody(request.body, ANTHROPIC_VERSION), ...(isStreamed && { stream: true }) },
  };
}

/** Source: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens */
const COUNTER = { path: 'publishers/anthropic/models/count-tokens:rawPredict' };

/** Throws as `resourceUrl` does. */
export function countRequest({ provider, credential, region, endpoint, body, apiHeaders }: Call): Outgoing {
  const { model } = publishedModel(endpoint.upstreamModelId);
  const request = requestAtHost(BETAS, body, betasIn(apiHeaders));
  return {
    url: resourceUrl(provider, credential.projectId, region, COUNTER),
    headers: betaHeader(request.betas),
    body: { ...withoutMode(request.body), model },
  };
}
