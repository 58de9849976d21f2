/** Requests for embeddings at hosts that copy OpenAI's API. */
import { hostNamed } from '../../../catalog/known-hosts.js';
import type { JsonObject } from '../../../formats/json.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Outgoing } from '../../http/codec.js';
import { providerUrl } from '../../http/provider-url.js';
import { knowsTokens, withTexts } from '../../vectors/token-text.js';
import { DEFAULT_ROOT } from '../host/root.js';
import { type EmbeddingsRules, embeddingsRules } from './hosts.js';

type Call<Credential = unknown> = UpstreamCall<Credential, 'embeddings'>;

/** Throws an Error as `providerUrl` does. */
export async function embeddingsRequest(call: Call): Promise<Outgoing> {
  const { provider, region, endpoint } = call;
  const url = providerUrl(provider, DEFAULT_ROOT, region, '/embeddings');
  return { url, headers: {}, body: await embeddingsBody(call, endpoint.upstreamModelId, rulesAt(call)) };
}

export function rulesAt({ provider, region }: Call): EmbeddingsRules {
  const { host } = providerUrl(provider, DEFAULT_ROOT, region, '/embeddings');
  return embeddingsRules(hostNamed(host, provider.slug));
}

/**
 * The request as it came, except for the host's names, texts where it knows no tokens, and that numbers are asked for: hosts
 * ignore or refuse base64, of which the gateway makes its own.
 */
export async function embeddingsBody(
  call: Call,
  model: string,
  { members }: EmbeddingsRules,
): Promise<JsonObject> {
  const { body, endpoint } = call;
  const sent = Object.entries(body).flatMap(([name, value]) => {
    const hostName = Object.hasOwn(members, name) ? members[name] : name;
    if (hostName === null || hostName === undefined) call.onAdapted?.(name, 'left_out');
    return hostName === null || hostName === undefined ? [] : [[hostName, value] as const];
  });
  const input = knowsTokens(endpoint) ? body.input : await withTexts(body.input);
  return { ...Object.fromEntries(sent), model, input, encoding_format: 'float' };
}
