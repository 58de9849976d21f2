/**
 * Servers that people run themselves, as far as adding one as a provider goes: their lists of models, what they say of a
 * context's length, and a chat. Each refuses the paths that the real one does not have. Where the shapes are from, with
 * dates, stands in `docs/providers/local-servers.md`.
 */

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type LocalServer = 'ollama' | 'vllm' | 'lm-studio' | 'llama.cpp';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

interface Reply {
  readonly status: number;
  readonly json?: object;
  readonly text?: string;
}

const list = (...models: readonly object[]): Reply => ({
  status: 200,
  json: { object: 'list', data: models },
});
const model = (id: string, more: object = {}) => ({ id, object: 'model', created: 1_760_000_000, ...more });

/** By method and path; a chat is the same everywhere. */
const ROUTES: Readonly<Record<LocalServer, Readonly<Record<string, (body: { model?: string }) => Reply>>>> = {
  ollama: {
    'GET /v1/models': () =>
      list(
        model('llama3.2:1b', { owned_by: 'library' }),
        model('nomic-embed-text:latest', { owned_by: 'library' }),
      ),
    'GET /api/version': () => ({ status: 200, json: { version: '0.12.6' } }),
    'POST /api/show': ({ model: id }) => ({
      status: 200,
      json: id?.startsWith('nomic')
        ? { model_info: { 'nomic-bert.context_length': 2048 }, capabilities: ['embedding'] }
        : { model_info: { 'llama.context_length': 131_072 }, capabilities: ['completion', 'tools'] },
    }),
  },
  vllm: {
    'GET /v1/models': () =>
      list(model('meta-llama/Llama-3.2-1B-Instruct', { owned_by: 'vllm', max_model_len: 8192 })),
  },
  'lm-studio': {
    'GET /v1/models': () =>
      list(
        model('qwen2-vl-7b-instruct', { owned_by: 'organization_owner' }),
        model('text-embedding-nomic-embed-text-v1.5', { owned_by: 'organization_owner' }),
      ),
    'GET /api/v0/models': () =>
      list(
        model('qwen2-vl-7b-instruct', { type: 'vlm', max_context_length: 32_768 }),
        model('text-embedding-nomic-embed-text-v1.5', { type: 'embeddings', max_context_length: 2048 }),
      ),
  },
  'llama.cpp': {
    'GET /v1/models': () =>
      list(model('/models/tiny.gguf', { owned_by: 'llamacpp', meta: { n_ctx_train: 4096 } })),
    'GET /models': () =>
      list(model('/models/tiny.gguf', { owned_by: 'llamacpp', meta: { n_ctx_train: 4096 } })),
  },
};

/** What it answers to a path that it does not have. */
const UNKNOWN: Readonly<Record<LocalServer, Reply>> = {
  ollama: { status: 404, text: '404 page not found' },
  vllm: { status: 404, json: { detail: 'Not Found' } },
  'lm-studio': { status: 200, json: { error: 'Unexpected endpoint or method. (GET /models)' } },
  'llama.cpp': {
    status: 404,
    json: { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } },
  },
};

/** `key`: the credential that it wants. */
export async function startLocalServer(kind: LocalServer, key?: string) {
  const received: Received[] = [];
  let hasTexts = true;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    received.push({ path: pathname, headers: request.headers });
    const { status, json, text } = await replyTo(kind, request, pathname, key, hasTexts);
    response.writeHead(status, { 'content-type': json === undefined ? 'text/plain' : 'application/json' });
    response.end(json === undefined ? text : JSON.stringify(json));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** From now on it is as a host that has chats alone. */
  const withoutTexts = () => {
    hasTexts = false;
  };
  return { url: `http://127.0.0.1:${port}`, received, close: () => server.close(), withoutTexts };
}

async function replyTo(
  kind: LocalServer,
  request: IncomingMessage,
  path: string,
  key: string | undefined,
  hasTexts: boolean,
): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
    return { status: 401, json: { error: { message: 'Unauthorized', type: 'authentication_error' } } };
  }
  const route = ROUTES[kind][`${request.method} ${path}`];
  const body = text === '' ? {} : JSON.parse(text);
  if (route !== undefined) return route(body);
  if (request.method === 'POST' && path === '/v1/chat/completions') return chatOf(body.model);
  if (request.method === 'POST' && path === '/v1/completions' && hasTexts) return TEXT;
  return UNKNOWN[kind];
}

/** All four have OpenAI's text completions too. */
const TEXT: Reply = {
  status: 200,
  json: {
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1_760_000_000,
    choices: [{ index: 0, text: ' there', logprobs: null, finish_reason: 'length' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
};

function chatOf(id: string): Reply {
  if (/embed/.test(id)) {
    return { status: 400, json: { error: { message: `"${id}" does not support chat` } } };
  }
  return {
    status: 200,
    json: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: id,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
    },
  };
}
