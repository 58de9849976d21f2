/** Requests for embeddings at hosts that copy OpenAI's API. */
import type { Quirks } from '../../../catalog/quirks.js';
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

/** Throws an Error as `providerUrl` does. */
export function rulesAt({ provider, region }: Pick<Call, 'provider' | 'region'>): EmbeddingsRules {
  const { host } = providerUrl(provider, DEFAULT_ROOT, region, '/embeddings');
  return embeddingsRules(host, provider.slug);
}

/**
 * The request as it came, except for the host's names and words, texts where it knows no tokens, and that numbers are asked for:
 * hosts ignore or refuse base64, of which the gateway makes its own.
 */
export async function embeddingsBody(call: Call, model: string, rules: EmbeddingsRules): Promise<JsonObject> {
  const { body, endpoint, onAdapted } = call;
  const { model: _, input, encoding_format, ...others } = body;
  const names = { ...rules.members, ...endpoint.quirks.members };
  const sent = Object.entries(others).flatMap(([name, given]) => {
    const value = name === 'input_type' ? wordIn(rules, given) : given;
    const own = value === undefined ? null : nameIn(names, name);
    if (own === null) onAdapted?.(name, 'left_out');
    return own === null ? [] : [[own, value] as const];
  });
  const encoding = nameIn(names, 'encoding_format');
  return {
    ...rules.asked,
    ...Object.fromEntries(sent),
    model,
    input: knowsTokens(endpoint) ? input : await withTexts(input),
    ...(encoding !== null && { [encoding]: 'float' }),
  };
}

/** null for a member that the host does not know. */
function nameIn(names: NonNullable<Quirks['members']>, name: string): string | null {
  const own = Object.hasOwn(names, name) ? names[name] : name;
  return own ?? null;
}

/** undefined for a word that the host has none for. */
function wordIn({ inputTypes = {} }: EmbeddingsRules, given: unknown): unknown {
  const isUsual = typeof given === 'string' && Object.hasOwn(inputTypes, given);
  return isUsual ? (inputTypes[given] ?? undefined) : given;
}
