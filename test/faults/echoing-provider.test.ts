/** A provider that echoes whatever it was sent in every part of an answer: worse than any real one. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { goodCredentials } from '../endpoint/byok/canaries.js';
import { demoModel } from '../support/catalog.js';
import { startMoneyGateway } from '../support/money.js';
import { type Answer, bodyOf, type Row, recordOf, send } from '../support/rest.js';

const PLATFORMS = [
  ['openai', 'gpt-m'],
  ['anthropic', 'claude-m'],
  ['azure', 'd'],
  ['bedrock, bare', 'anthropic.claude-m'],
  ['bedrock', 'anthropic.claude-m'],
  ['vertex', 'gemini-3.1-pro-preview'],
  ['vertex', 'claude-m@20260101'],
  ['vertex', 'meta/llama-m'],
] as const;

/** Statuses of the provider; with 403 it refuses an access token, and a 200 has an error inside. */
const STATUSES = [403, 400, 401, 404, 429, 500, 503, 200];

/** An access token that the provider issues. */
const TOKEN = 'ya29.cnry-token-0123456789abcdef';

/** Its current status, and the secrets that it was sent. */
interface Received {
  status: number;
  requests: number;
  readonly secrets: Set<string>;
}

async function startEcho(): Promise<Received & { readonly origin: string }> {
  const received: Received = { status: 401, requests: 0, secrets: new Set() };
  const server = createServer((request, response) => void echo(request, response, received));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return Object.assign(received, { origin: `http://127.0.0.1:${port}` });
}

async function echo(request: IncomingMessage, response: ServerResponse, received: Received): Promise<void> {
  received.requests += 1;
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  const { authorization = '', 'x-api-key': key, 'api-key': other } = request.headers;
  const assertion = new URLSearchParams(text).get('assertion');
  const bearer = authorization.startsWith('Bearer ') ? authorization.slice(7) : '';
  // Good for this one request, and for minutes only; but for that time as good as the key.
  const signature = /Signature=([0-9a-f]{64})$/.exec(authorization)?.[1];
  for (const secret of [bearer, signature, key, other, assertion])
    if (typeof secret === 'string' && secret !== '') received.secrets.add(secret);
  const secretsText = [authorization, key, other, assertion].filter(Boolean).join(' ');
  const isToken = assertion !== null && received.status !== 403;
  const error = {
    message: `You sent ${secretsText}`,
    type: secretsText,
    code: secretsText,
    param: secretsText,
    status: secretsText,
    details: [secretsText],
  };
  const refusal = {
    error,
    message: secretsText,
    Message: secretsText,
    __type: 'ValidationException',
    id: secretsText,
    extra: secretsText,
  };
  const tokenRefusal = { error: secretsText, error_description: secretsText };
  const body = isToken ? { access_token: TOKEN, expires_in: 3600 } : assertion ? tokenRefusal : refusal;
  const isEvents = received.status === 200 && text.includes('"stream":true');
  response.writeHead(isToken ? 200 : received.status, {
    'content-type': isEvents ? 'text/event-stream' : 'application/json',
    'x-goog-api-key': secretsText.slice(0, 500),
    'x-amzn-errortype': 'ValidationException',
    'www-authenticate': authorization,
    // Nothing rests, so that every status is asked for.
    'retry-after': '0',
  });
  response.end(isEvents ? `event: error\ndata: ${JSON.stringify(body)}\n\n` : JSON.stringify(body));
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('master.key'))
    .map((path) => readFileSync(path, 'latin1'));
}

describe.each(PLATFORMS)('a secret that a provider echoes goes no further: %s, %s', (name, upstreamModel) => {
  it('not in answers, records, metrics, logs and files, with any status, streamed or not', async () => {
    const provider = await startEcho();
    const credential = goodCredentials().find((one) => one.name === name);
    if (credential === undefined) throw new Error(`no credential ${name}`);
    const { provider: slug, texts } = credential;
    const gateway = await startMoneyGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
      providers: [{ slug, name: slug, adapter: slug, base_url: provider.origin }],
      models: [demoModel('openai/gpt', [{ provider: slug, upstream_model_id: upstreamModel }])],
    });
    const key =
      name === 'vertex'
        ? { ...(credential.key as Row), token_uri: `${provider.origin}/token` }
        : credential.key;
    const stored = recordOf(await gateway.manage('POST', '/byok', { provider: slug, key }));
    const answers: Answer[] = [];
    const record = (answer: Answer) => {
      answers.push(answer);
      return answer;
    };
    for (const status of STATUSES) {
      provider.status = status;
      for (const stream of [false, true]) {
        const answer = record(await gateway.chat('openai/gpt', { stream }));
        expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
        const { metadata } = bodyOf(answer).error as { metadata: Row };
        expect(metadata.provider_responses).toMatchObject([{ is_byok: true, byok_key_id: stored.id }]);
        record(await gateway.use('GET', `/generation?id=${metadata.generation_id}`));
      }
      record(await gateway.manage('POST', `/byok/${stored.id}/test`));
    }
    const operator = { authorization: `Bearer ${gateway.operatorKey}` };
    record(await send(`${gateway.url}/metrics`, 'GET', { headers: operator }));
    for (const path of ['/generations', '/activity', '/byok']) record(await gateway.manage('GET', path));
    record(await gateway.use('POST', '/routing/explain', { model: 'openai/gpt' }));
    expect(provider.secrets.size).toBeGreaterThan(0);
    const secrets = [...texts, ...provider.secrets];
    const outputs = [
      ...answers.map(({ headers, text }) => JSON.stringify(headers) + text),
      ...gateway.log,
      ...filesOf(gateway.dataDir),
    ];
    for (const text of outputs)
      expect(secrets.filter((secret) => text.includes(secret)).map((secret) => [secret, text])).toEqual([]);
  });
});
