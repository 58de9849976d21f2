import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { Endpoint } from '../../../catalog/types.js';
import { type Publisher, publishedModel } from '../host/publisher.js';
import type { PublisherFormat } from '../host/publisher-format.js';
import { anthropic } from './anthropic.js';
import { gemini } from './gemini/format.js';
import { openapi } from './openapi.js';

/** The format of each publisher's models. */
export const PUBLISHERS: Readonly<Record<Publisher, PublisherFormat>> = {
  anthropic,
  google: gemini,
  other: openapi,
};

/** What the model of an endpoint takes of a chat. */
export function contractOf(endpoint: Endpoint): ChatContract {
  const { publisher, model } = publishedModel(endpoint.upstreamModelId);
  return PUBLISHERS[publisher].contract(endpoint, model);
}
