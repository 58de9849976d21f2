import { runInSlices } from '../../../base/time-slices.js';
import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Outgoing } from '../../http/codec.js';
import type { InlineMedia } from '../../http/inline-media.js';
import { publishedModel } from '../host/publisher.js';
import type { PublisherFormat } from '../host/publisher-format.js';
import { resourceUrl } from '../host/url.js';

/** A chat for a model of this format's publisher. Throws as its `body` and `resourceUrl` do. */
export async function chatRequest(
  format: PublisherFormat,
  inlineMedia: InlineMedia,
  call: UpstreamCall<VertexCredential, 'chat'>,
  isStreamed: boolean,
): Promise<Outgoing> {
  const { provider, region, credential, endpoint } = call;
  const { model } = publishedModel(endpoint.upstreamModelId);
  const body = format.takesUrls ? call.body : await inlineMedia(call.body, call);
  const nested = await runInSlices(format.readNested(body));
  return {
    url: resourceUrl(provider, credential.projectId, region, format.resource(model, isStreamed)),
    headers: format.headers?.(call) ?? {},
    body: format.body({ ...call, body, nested }, model, isStreamed),
  };
}
