import type { Publisher } from '../host/publisher.js';
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
