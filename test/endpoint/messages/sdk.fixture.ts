/** Clients of Anthropic's API, unmodified, in front of a whole gateway. */
import Anthropic from '@anthropic-ai/sdk';
import type { TestGateway } from '../../support/gateway.js';
import type { Platform } from '../../support/platforms.js';

/** The SDK with its usual configuration, but without retries; it appends `/v1/messages` to its base. */
export function clientOf({ url, apiKey }: Pick<TestGateway, 'url' | 'apiKey'>): Anthropic {
  return new Anthropic({ baseURL: `${url}/api`, apiKey, authToken: null, maxRetries: 0 });
}

/** Whether requests in the Messages format reach the platform's provider as they are. */
export function isNative({ family }: Platform): boolean {
  return family.includes('claude-');
}
