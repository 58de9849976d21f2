/** Base URLs that clients are given, right and wrong: docs/compatibility.md#base-urls. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowedMethods } from '../../src/rest/not-found.js';
import { NOT_OFFERED } from '../../src/rest/not-offered.js';
import { operations } from '../rest/stub.js';
import { launchGateway } from '../support/gateway.js';
import { bodyOf, type Row, send } from '../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;

beforeAll(async () => {
  gateway = await launchGateway({ env: { BYWAY_CORS_ORIGINS: 'https://app.test' } });
});
afterAll(() => gateway.stop());

const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  send(gateway.url + path, method, {
    headers: { authorization: `Bearer ${gateway.apiKey}`, ...headers },
  });

const MESSAGES = [{ role: 'user' as const, content: 'Hello' }];

describe('clients reach the gateway', () => {
  it.each(['/api/v1', '/v1', '/v1/v1', '/api/v1/v1', '/v1/', '/api/v1/'])(
    'an OpenAI SDK with the base URL %s',
    async (base) => {
      const client = new OpenAI({ baseURL: gateway.url + base, apiKey: gateway.apiKey, maxRetries: 0 });
      const chat = await client.chat.completions.create({ model: 'demo/echo', messages: MESSAGES });
      expect(chat.choices[0]?.message.content).toContain('Hello');
      expect((await client.models.list()).data.length).toBeGreaterThan(0);
    },
  );

  it.each(['/api', '', '/api/v1', '/v1'])('an Anthropic SDK with the base URL %s', async (base) => {
    const client = new Anthropic({ baseURL: gateway.url + base, apiKey: gateway.apiKey, maxRetries: 0 });
    const message = await client.messages.create({ model: 'demo/echo', max_tokens: 50, messages: MESSAGES });
    expect(message.content).toMatchObject([{ type: 'text', text: expect.stringContaining('Hello') }]);
  });
});

describe('/v1 is the same as /api/v1', () => {
  it('for every operation: its path is known, whatever the method', async () => {
    for (const { path, httpMethod } of operations) {
      const filled = path.replaceAll(/\{[^}]*\}/g, 'x');
      const [alias, own] = await Promise.all([
        send(`${gateway.url}/v1${filled}`, httpMethod),
        send(`${gateway.url}/api/v1${filled}`, httpMethod),
      ]);
      expect([httpMethod, path, alias.status, alias.text]).toEqual([httpMethod, path, own.status, own.text]);
    }
  });

  it('for HEAD, preflights, wrong methods, bodies that are too large, and links', async () => {
    expect((await ask('/v1/models', 'HEAD')).status).toBe(200);
    const preflight = await ask('/v1/chat/completions', 'OPTIONS', { origin: 'https://app.test' });
    expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([204, 'POST']);
    const wrong = await ask('/v1/chat/completions', 'DELETE');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'POST']);
    const large = await send(`${gateway.url}/v1/byok`, 'POST', {
      headers: { authorization: `Bearer ${gateway.managementKey}` },
      body: { provider: 'a', key: 'x'.repeat(2 ** 20) },
    });
    expect(large.status).toBe(413);
    const { links } = bodyOf(await ask('/v1/models/user?limit=1')) as { links: Row };
    expect(links.next).toMatch(/\/api\/v1\/models\/user\?/);
  });

  it('for rate limits, and for the route that metrics and logs name', async () => {
    const manage = { authorization: `Bearer ${gateway.managementKey}` };
    const left = async (path: string) =>
      Number((await ask(path, 'GET', manage)).headers['x-ratelimit-remaining']);
    const before = await left('/api/v1/credits');
    expect(await left('/v1/credits')).toBeLessThan(before);
    const answered = gateway.log.filter((line) => line.includes('answered') && line.includes('/credits'));
    expect(answered.length).toBeGreaterThan(1);
    expect(answered.every((line) => line.includes('"route":"/api/v1/credits"'))).toBe(true);
  });
});

describe('a mistaken base URL is told the right one', () => {
  const openai = () => ` The base URL of OpenAI's clients is ${gateway.url}/api/v1`;
  const anthropic = () => ` The base URL of Anthropic's clients is ${gateway.url}/api`;

  /** As public reports of clients have them. */
  it.each([
    ['/api/chat/completions', '/api/v1/chat/completions', openai],
    ['/chat/completions', '/api/v1/chat/completions', openai],
    ['/completions', '/api/v1/completions', openai],
    ['/v1/fim/completions', '/api/v1/completions', openai],
    ['/api/v1/beta/completions', '/api/v1/completions', openai],
    ['/models', '/api/v1/models', openai],
    ['/v2/models', '/api/v1/models', openai],
    ['/openai/v1/chat/completions', '/api/v1/chat/completions', openai],
    ['/openai/chat/completions', '/api/v1/chat/completions', openai],
    ['/openai/deployments/gpt-4o/chat/completions', '/api/v1/chat/completions', openai],
    ['/v1/openai/chat/completions', '/api/v1/chat/completions', openai],
    ['/v1beta/openai/chat/completions', '/api/v1/chat/completions', openai],
    ['/v1/chat/completions/chat/completions', '/api/v1/chat/completions', openai],
    ['/api/v1/chat/completions/v1/chat/completions', '/api/v1/chat/completions', openai],
    ['/v1/chat/completions/models', '/api/v1/models', openai],
    ['/v1/chat/completions/', '/api/v1/chat/completions', openai],
    ['/api/api/v1/chat/completions', '/api/v1/chat/completions', openai],
    ['/v1/v1/v1/chat/completions', '/api/v1/chat/completions', openai],
    ['/messages', '/api/v1/messages', anthropic],
    ['/anthropic/v1/messages', '/api/v1/messages', anthropic],
    ['/v1/anthropic/v1/messages', '/api/v1/messages', anthropic],
    ['/v1/messages/v1/messages', '/api/v1/messages', anthropic],
    ['/api/messages/count_tokens', '/api/v1/messages/count_tokens', anthropic],
    ['/v1/auth/key', '/api/v1/key', () => ''],
    ['/api/v1//chat/completions', '/api/v1/chat/completions', openai],
    ['/keys/', '/api/v1/keys', () => ''],
    ['/v1/chat', '/api/v1/chat/completions', openai],
    ['/api/v1/chat', '/api/v1/chat/completions', openai],
    ['/v1/chat/completion', '/api/v1/chat/completions', openai],
    ['/openai/v1/model', '/api/v1/models', openai],
    ['/v1/message', '/api/v1/messages', anthropic],
  ])('%s', async (path, meant, base) => {
    const { error } = bodyOf(await ask(path, 'POST')) as { error: Row };
    expect(error.message).toBe(`Unknown path; did you mean ${meant}?${base()}`);
    expect([error.code ?? 404, (error.metadata as Row).reason]).toEqual([404, 'unknown_path']);
  });

  it.each(['/v1', '/v1/', '/api/v1', '/api'])('%s alone, posted to', async (path) => {
    const { error } = bodyOf(await ask(path, 'POST')) as { error: Row };
    expect(error.message).toBe(
      `Unknown path: the base URL of OpenAI's clients is ${gateway.url}/api/v1, to which they append /chat/completions, and that of Anthropic's clients ${gateway.url}/api, to which they append /v1/messages`,
    );
  });

  it.each(['/v1/nothing', '/nothing/at/all', '/v10/users', `/${'a/'.repeat(500)}models`])(
    '%s is unknown and nothing more',
    async (path) => {
      const { error } = bodyOf(await ask(path)) as { error: Row };
      expect(error).toMatchObject({ code: 404, message: 'Unknown path' });
    },
  );
});

describe('what is not offered says so', () => {
  it.each<readonly [path: string, message: string]>([
    [
      '/v1/images/generations',
      'The Images API is not offered by this gateway; there is a chat with a model that makes images',
    ],
    [
      '/api/v1/audio/speech',
      'The Audio API (speech, transcriptions, translations) is not offered by this gateway',
    ],
    ['/openai/v1/moderations', 'Moderations are not offered by this gateway'],
    [
      '/v1/files/file-1/content',
      'The Files API is not offered by this gateway; there is files as parts of messages',
    ],
    ['/v1/fine_tuning/jobs', 'Fine-tuning is not offered by this gateway'],
    [
      '/v1/complete',
      expect.stringMatching(
        /^Anthropic's text completions are not offered by this gateway; there is POST \/completions, /,
      ),
    ],
    [
      '/v1/engines/davinci-002/completions',
      'The Engines API is not offered by this gateway; there is GET /models and POST /completions',
    ],
    ['/v1/messages/batches', 'Message batches are not offered by this gateway'],
    [
      '/v1beta/models/gemini-2.5-flash:generateContent',
      "Google's own API is not offered by this gateway; there is POST /chat/completions, POST /messages or POST /responses",
    ],
    [
      '/api/generate',
      "Ollama's own API is not offered by this gateway; there is POST /chat/completions, POST /messages or POST /responses",
    ],
    ...['chat', 'version', 'ps', 'pull', 'blobs/sha256:0'].map((operation): [string, string] => [
      `/api/${operation}`,
      "Ollama's own API is not offered by this gateway; there is POST /chat/completions, POST /messages or POST /responses, and GET /models",
    ]),
  ])('%s', async (path, message) => {
    const answer = await ask(path, 'POST');
    const { error } = bodyOf(answer) as { error: Row };
    expect([answer.status, error.message, (error.metadata as Row).reason]).toEqual([
      404,
      message,
      'not_offered',
    ]);
  });

  it('in Anthropic’s form to its clients', async () => {
    const answer = await ask('/v1/files', 'GET', { 'anthropic-version': '2023-06-01' });
    expect([answer.status, bodyOf(answer)]).toMatchObject([
      404,
      {
        type: 'error',
        error: { type: 'not_found_error', message: expect.stringContaining('The Files API') },
      },
    ]);
  });

  it('and nothing that is offered is among it', () => {
    const allowed = allowedMethods(operations);
    const offered = NOT_OFFERED.filter(({ path }) => allowed(`/api/v1/${path}`).length > 0);
    expect(offered.map(({ path }) => path)).toEqual([]);
  });
});
