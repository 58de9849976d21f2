import { bearer, JSON_BODY } from '../bench.js';
import { BYOK_MODEL } from '../catalog.js';
import type { Load } from '../load.js';
import type { Server } from '../processes.js';

const MESSAGES = [
  { role: 'system', content: 'You are a helpful assistant. Answer in one short paragraph.' },
  { role: 'user', content: 'What does the quick brown fox do, and over whom?' },
];

const TURNS = MESSAGES.filter(({ role }) => role === 'user');

const MAX_TOKENS = 200;

/** A chat over the BYOK key, sent to the gateway. */
export function byokChat({ url }: Server, apiKey: string, stream = false, maxTokens = MAX_TOKENS): Load {
  return chatAt(`${url}/api/v1/chat/completions`, BYOK_MODEL, bearer(apiKey), stream, maxTokens);
}

/** The same chat with the provider's own path, sent to the provider or to a proxy before it. */
export function providerChat(
  { url }: Server,
  headers: Load['headers'] = {},
  stream = false,
  maxTokens = MAX_TOKENS,
): Load {
  const sent = { ...bearer('sk-bench'), ...headers };
  return chatAt(`${url}/v1/chat/completions`, 'bench', sent, stream, maxTokens);
}

/** The same in the Messages format, streamed, sent to the gateway. */
export function byokMessages({ url }: Server, apiKey: string, maxTokens: number): Load {
  return chatAt(`${url}/api/v1/messages`, BYOK_MODEL, bearer(apiKey), true, maxTokens, TURNS);
}

/** The same, sent to the provider or to a proxy before it. */
export function providerMessages({ url }: Server, maxTokens: number): Load {
  return chatAt(`${url}/v1/messages`, 'bench', bearer('sk-bench'), true, maxTokens, TURNS);
}

/** The same in the Responses format, streamed, sent to the gateway. */
export function byokResponses({ url }: Server, apiKey: string, maxTokens: number): Load {
  return responseAt(`${url}/api/v1/responses`, BYOK_MODEL, bearer(apiKey), maxTokens);
}

/** The same, sent to the provider or to a proxy before it. */
export function providerResponses({ url }: Server, maxTokens: number): Load {
  return responseAt(`${url}/v1/responses`, 'bench', bearer('sk-bench'), maxTokens);
}

function responseAt(url: string, model: string, headers: Load['headers'], max_output_tokens: number): Load {
  const body = JSON.stringify({ model, input: MESSAGES, max_output_tokens, stream: true });
  return { protocol: 'http', method: 'POST', url, headers: { ...headers, ...JSON_BODY }, body };
}

function chatAt(
  url: string,
  model: string,
  headers: Load['headers'],
  stream: boolean,
  max_tokens: number,
  messages = MESSAGES,
): Load {
  const body = JSON.stringify({ model, messages, max_tokens, ...(stream && { stream }) });
  return { protocol: 'http', method: 'POST', url, headers: { ...headers, ...JSON_BODY }, body };
}
