import { PARAMETERS } from '../../catalog/enums.js';
import { type ChatFormat, sentChatsAs } from '../../catalog/formats.js';
import { isFree } from '../../catalog/price.js';
import type { AdapterName, Endpoint, Format, NativeFormat, Provider } from '../../catalog/types.js';
import { tiersAt } from '../modes/host-tiers.js';
import { CHAT_REQUESTS } from './chat-members.js';
import { COMPLETIONS_REQUEST } from './completions-members.js';
import { EMBEDDINGS_REQUEST } from './embeddings-members.js';
import { MESSAGES_IN_MODES, MESSAGES_REQUEST, MODES } from './messages-members.js';
import { RERANK_REQUEST } from './rerank-members.js';
import { RESPONSES_REQUEST } from './responses-members.js';
import { extended, type ShapedMembers } from './shape.js';

type Host = Pick<Endpoint, 'upstreamModelId' | 'formats' | 'quirks'>;

/** What may be sent of a native request to hosts of any kind. */
export const NATIVE_REQUESTS: Readonly<Record<NativeFormat, ShapedMembers>> = {
  messages: MESSAGES_IN_MODES,
  responses: RESPONSES_REQUEST,
  completions: COMPLETIONS_REQUEST,
  embeddings: EMBEDDINGS_REQUEST,
  rerank: RERANK_REQUEST,
};

/** Of hosts without speeds and places. */
const NATIVE: Readonly<Record<NativeFormat, ShapedMembers>> = {
  messages: MESSAGES_REQUEST,
  responses: RESPONSES_REQUEST,
  completions: COMPLETIONS_REQUEST,
  embeddings: EMBEDDINGS_REQUEST,
  rerank: RERANK_REQUEST,
};

/** Of hosts that have them, by the shape of those that have not. */
const IN_MODES: ReadonlyMap<ShapedMembers, ShapedMembers> = new Map([
  [CHAT_REQUESTS.openai, extended(CHAT_REQUESTS.openai, MODES)],
  [CHAT_REQUESTS.anthropic, extended(CHAT_REQUESTS.anthropic, MODES)],
  [MESSAGES_REQUEST, MESSAGES_IN_MODES],
]);

/** What the endpoint may be sent over shared capacity, for a request in this format. */
export function shapeAt(
  endpoint: Host,
  provider: Pick<Provider, 'slug' | 'adapter' | 'baseUrl'>,
  format: Format,
): ShapedMembers {
  const shape = format === 'chat' ? OF_CHATS[provider.adapter](endpoint) : NATIVE[format];
  return tiersAt(endpoint, provider, format)?.takesSpeeds ? (IN_MODES.get(shape) ?? shape) : shape;
}

/** What adapters send of a chat. */
const OF_CHATS: Readonly<Record<AdapterName, (endpoint: Host) => ShapedMembers>> = {
  openai: ofCompatible,
  anthropic: () => CHAT_REQUESTS.anthropic,
  azure: ofCompatible,
  'amazon-bedrock': () => CHAT_REQUESTS.converse,
  'google-vertex': ofPublisher,
  demo: ofCompatible,
};

function ofCompatible(endpoint: Host): ShapedMembers {
  return OF_COMPATIBLE[sentChatsAs(endpoint)];
}

/** By the format that the host is sent chats in. */
const OF_COMPATIBLE: Readonly<Record<ChatFormat, ShapedMembers>> = {
  chat: CHAT_REQUESTS.openai,
  messages: CHAT_REQUESTS.anthropic,
  responses: CHAT_REQUESTS.openai,
};

function ofPublisher({ upstreamModelId }: Host): ShapedMembers {
  if (upstreamModelId.includes('claude')) return CHAT_REQUESTS.anthropic;
  return upstreamModelId.includes('gemini') ? CHAT_REQUESTS.gemini : CHAT_REQUESTS.openai;
}

/** Whether requests over shared capacity are charged by the endpoint's prices. If so, only what has a price is sent. */
export function hasPrice({ pricing }: Pick<Endpoint, 'pricing'>): boolean {
  return !isFree(pricing);
}

const NONE: ReadonlySet<string> = new Set();
const KNOWN: ReadonlySet<string> = new Set(PARAMETERS.filter((name) => name !== 'web_search_options'));

const known = new WeakMap<readonly string[], ReadonlySet<string>>();

/**
 * Members, tool types and beta features beyond the known parameters that the operator has admitted for the endpoint.
 */
export function allowedAt({
  supportedParameters,
}: Pick<Endpoint, 'supportedParameters'>): ReadonlySet<string> {
  let allowed = known.get(supportedParameters);
  if (allowed === undefined) {
    const names = supportedParameters.filter((name) => !KNOWN.has(name));
    allowed = names.length === 0 ? NONE : new Set(names);
    known.set(supportedParameters, allowed);
  }
  return allowed;
}
