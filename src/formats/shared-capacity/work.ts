/** What a request in any format asks its host to do on its own, and what of it may be done over shared capacity. */
import type { Endpoint, Format } from '../../catalog/types.js';
import { type HostWork, hostWorkOf } from '../host-work.js';
import { elements, type JsonObject, members } from '../json.js';
import { workOfResponses } from '../responses/host-work.js';
import { isNamed } from './left-out.js';
import { allowedAt } from './shapes-of-hosts.js';

const WORK: Readonly<Record<Format, (body: JsonObject) => readonly HostWork[]>> = {
  chat: hostWorkOf,
  messages: hostWorkOf,
  responses: workOfResponses,
  completions: hostWorkOf,
  // Nothing is done for an embedding, or a score.
  embeddings: () => [],
  rerank: () => [],
};

export function workIn(format: Format, body: JsonObject): readonly HostWork[] {
  return WORK[format](body);
}

/** Tools that look up definitions, which cost no more than the request's tokens. */
const LOOKS_UP = 'tool_search';

export function isPriced({ type, priceKey }: HostWork, { pricing }: Pick<Endpoint, 'pricing'>): boolean {
  if (type.startsWith(LOOKS_UP)) return true;
  return priceKey !== null && pricing.prices[priceKey] !== undefined;
}

export function isUnbounded({ priceKey, maxUses, maxTurns }: HostWork): boolean {
  return maxTurns === null || (priceKey !== null && maxUses === null);
}

/** Whether an endpoint that has prices is asked for it over shared capacity, if the answer can do without. */
export function isSentWithPrice(
  one: HostWork,
  endpoint: Pick<Endpoint, 'pricing' | 'supportedParameters'>,
): boolean {
  return isNamed(allowedAt(endpoint), one.type) || (isPriced(one, endpoint) && !isUnbounded(one));
}

/** The request without tools of these types, wherever it has them. */
export function withoutWork(body: JsonObject, work: readonly HostWork[]): JsonObject {
  const types = new Set<unknown>(work.map(({ type }) => type));
  const kept = (tools: unknown) => elements(tools).filter((tool) => !types.has(members(tool).type));
  const input = elements(body.input).map((item) => {
    const { tools } = members(item);
    return Array.isArray(tools) ? { ...members(item), tools: kept(tools) } : item;
  });
  return {
    ...body,
    ...(Array.isArray(body.tools) && { tools: kept(body.tools) }),
    ...(Array.isArray(body.input) && { input }),
  };
}
