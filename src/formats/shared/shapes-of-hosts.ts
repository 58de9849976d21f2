import { PARAMETERS } from '../../catalog/enums.js';
import { isFree } from '../../catalog/price.js';
import type { Endpoint, Provider } from '../../catalog/types.js';
import { CHAT_REQUESTS } from './chat-members.js';
import { MESSAGES_REQUEST } from './messages-members.js';
import type { ShapedMembers } from './shape.js';

type Host = Pick<Endpoint, 'upstreamModelId' | 'formats'>;

/** What the endpoint may be sent over shared capacity, of a chat or, in its own format, of a request as it was sent. */
export function shapeAt(
  endpoint: Host,
  { adapter }: Pick<Provider, 'adapter'>,
  isNative: boolean,
): ShapedMembers {
  if (isNative) return MESSAGES_REQUEST;
  switch (adapter) {
    case 'anthropic':
      return CHAT_REQUESTS.anthropic;
    case 'amazon-bedrock':
      return CHAT_REQUESTS.converse;
    case 'google-vertex':
      return ofPublisher(endpoint);
    default:
      return speaksOnlyMessages(endpoint) ? CHAT_REQUESTS.anthropic : CHAT_REQUESTS.openai;
  }
}

function ofPublisher({ upstreamModelId }: Host): ShapedMembers {
  if (upstreamModelId.includes('claude')) return CHAT_REQUESTS.anthropic;
  return upstreamModelId.includes('gemini') ? CHAT_REQUESTS.gemini : CHAT_REQUESTS.openai;
}

function speaksOnlyMessages({ formats }: Host): boolean {
  return formats.includes('messages') && !formats.includes('chat');
}

/** Whether requests over shared capacity are charged by the endpoint's prices, so that it is sent what has one alone. */
export function hasPrice({ pricing }: Pick<Endpoint, 'pricing'>): boolean {
  return !isFree(pricing);
}

const NONE: ReadonlySet<string> = new Set();
const KNOWN: ReadonlySet<string> = new Set(PARAMETERS.filter((name) => name !== 'web_search_options'));

const known = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Members, types of tools and beta features that the operator has admitted for the endpoint, beyond the usual parameters. */
export function admittedAt({
  supportedParameters,
}: Pick<Endpoint, 'supportedParameters'>): ReadonlySet<string> {
  let admitted = known.get(supportedParameters);
  if (admitted === undefined) {
    const names = supportedParameters.filter((name) => !KNOWN.has(name));
    admitted = names.length === 0 ? NONE : new Set(names);
    known.set(supportedParameters, admitted);
  }
  return admitted;
}
