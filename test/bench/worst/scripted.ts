/** Every provider of `answerShapes`, played by one server that answers as it is told to. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { demoModel } from '../../support/catalog.js';
import { serviceAccount } from '../../support/fakes/fake-vertex/account.js';
import type { AnswerShape, ScriptedAnswer } from './answer-shape.js';
import type { RawRequest } from './request.js';

const SCRIPTED = [
  { slug: 'openai', adapter: 'openai', upstreamModel: 'gpt-x' },
  { slug: 'azure', adapter: 'azure', upstreamModel: 'gpt-x' },
  { slug: 'anthropic', adapter: 'anthropic', upstreamModel: 'claude-x' },
  { slug: 'bedrock', adapter: 'amazon-bedrock', upstreamModel: 'anthropic.claude-3-haiku-x' },
  { slug: 'vertex', adapter: 'google-vertex', upstreamModel: 'gemini-2.5-flash-x' },
] as const;
type ScriptedSlug = (typeof SCRIPTED)[number]['slug'];

const TOKEN = JSON.stringify({ access_token: 'ya29.scripted', expires_in: 3599, token_type: 'Bearer' });

export interface ScriptedProvider {
  readonly origin: string;
  /** What every request to a model is answered with from now on. */
  answer(next: ScriptedAnswer): void;
  close(): Promise<void>;
}

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  let next: ScriptedAnswer = { status: 503, headers: {}, body: Buffer.alloc(0) };
  const server = createServer((request, response) => {
    // Of an answer that is too long the rest is not taken.
    response.on('error', () => undefined);
    request.resume().once('end', () => {
      if (request.url?.startsWith('/token') === true) response.end(TOKEN);
      else response.writeHead(next.status, next.headers).end(next.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(told) {
      next = told;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Its providers and their models `SLUG/x` of a catalogue. */
export function scriptedCatalog(origin: string) {
  return {
    providers: SCRIPTED.map(({ slug, adapter }) => ({
      slug,
      adapter,
      name: slug,
      base_url: slug === 'openai' || slug === 'anthropic' ? `${origin}/v1` : origin,
    })),
    models: SCRIPTED.map(({ slug, upstreamModel }) =>
      demoModel(`${slug}/x`, [{ provider: slug, upstream_model_id: upstreamModel }]),
    ),
  };
}

/** Gives the account of the management key a key for each of them. */
export async function addScriptedKeys(url: string, managementKey: string, origin: string): Promise<void> {
  for (const { slug } of SCRIPTED) {
    const answer = await fetch(`${url}/api/v1/byok`, {
      method: 'POST',
      headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ provider: slug, key: credentialOf(slug, origin) }),
    });
    if (!answer.ok) throw new Error(`the key for ${slug} was not taken: ${await answer.text()}`);
  }
}

function credentialOf(slug: ScriptedSlug, origin: string): unknown {
  switch (slug) {
    case 'azure':
      return [{ api_key: 'azure-scripted-0123456789abcdef', resource_name: 'scripted' }];
    case 'vertex':
      return serviceAccount(`${origin}/token`);
    case 'bedrock':
      return 'ABSKQmVkcm9ja0FQSUtleS1zY3JpcHRlZC0wMTIzNDU2Nzg5';
    default:
      return 'sk-ant-scripted-0123456789abcdefghijkl';
  }
}

/** The request that is answered in this shape. */
export function requestFor({ protocol, isStreamed }: AnswerShape): RawRequest {
  const isMessages = protocol === 'messages';
  const body = {
    model: `${isMessages ? 'anthropic' : protocol}/x`,
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: 1000,
    stream: isStreamed,
  };
  return {
    method: 'POST',
    path: `/api/v1/${isMessages ? 'messages' : 'chat/completions'}`,
    caller: 'api key',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  };
}

export function titleOf({ protocol, isStreamed, name }: AnswerShape): string {
  return `${protocol}, ${isStreamed ? 'streamed' : 'in one piece'}: ${name}`;
}
