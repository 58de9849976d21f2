import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualKind } from '../../support/database.js';
import { valuesOf } from '../../support/dump.js';
import { launchGateway } from '../../support/gateway.js';
import { type Answer, bodyOf, caller, type Row, send } from '../../support/rest.js';
import { everyKindOfProvider } from '../provider-kinds.js';
import { badCredentials, type Canary, type CanaryCredential, goodCredentials, mark } from './canaries.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let files: Map<string, Buffer>;
let stored: string[];

/** All secrets, and all answers that must not show one. */
const canaries: Canary[] = [];
const answers: Answer[] = [];

const CHAT = { model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] };
const REFUSED = [400, 401, 403, 404, 405, 409, 413, 415, 429, 502];

beforeAll(async () => {
  gateway = await launchGateway({ catalog: everyKindOfProvider() });
  trackSecret('the management key', gateway.managementKey);
  trackSecret('the API key', gateway.apiKey);
  const masterKey = readFileSync(join(gateway.dataDir, 'master.key'), 'utf8').trim();
  const hex = Buffer.from(masterKey, 'base64').toString('hex');
  canaries.push({ name: 'the master key', texts: [masterKey, hex] });
  await workThroughEverything();
  files = readAll(gateway.dataDir);
  stored = await valuesOf(gateway.gateway.database);
}, 120_000);
afterAll(() => gateway.stop());

function trackSecret(name: string, secret: string): void {
  canaries.push({ name, texts: [secret, secret.replace(/^.*-/, '')] });
}

/** A call whose answer is searched for secrets later. */
async function call(
  secret: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
): Promise<Answer> {
  const answer = await caller(gateway, secret)(method, path, body, headers);
  answers.push(answer);
  return answer;
}

/** Creates something whose secret only this answer may show. */
async function create(
  path: string,
  body: object,
  member: string,
  name: string,
): Promise<{ secret: string; data: Row }> {
  const answer = await caller(gateway, gateway.managementKey)('POST', path, body);
  const { data, [member]: secret } = bodyOf(answer);
  trackSecret(name, String(secret));
  answers.push({ ...answer, text: JSON.stringify({ data }) });
  return { secret: String(secret), data: data as Row };
}

async function workThroughEverything(): Promise<void> {
  const { managementKey, apiKey } = gateway;
  const { secret: clientSecret, data: client } = await create(
    '/clients',
    { name: 'App' },
    'client_secret',
    'a client secret',
  );
  const { secret: otherKey, data: key } = await create('/keys', { name: 'n' }, 'key', 'another API key');
  const stored = await storeAll(managementKey);
  await refuseAll(managementKey, String(stored[0]));
  await chatOver(apiKey, managementKey, stored);
  for (const path of [
    '/keys',
    '/byok',
    '/clients',
    '/generations',
    `/keys/${key.hash}`,
    `/byok/${stored[0]}`,
  ]) {
    for (const secret of [managementKey, apiKey, clientSecret, undefined]) await call(secret, 'GET', path);
  }
  for (const path of ['/models', '/models/user', '/providers', '/key', '/models/demo/echo/endpoints']) {
    await call(apiKey, 'GET', path);
  }
  await call(clientSecret, 'POST', '/keys', { naem: 'x' });
  await call(managementKey, 'PATCH', `/keys/${key.hash}`, { name: 'renamed', disabled: true });
  await call(otherKey, 'GET', '/key');
  await call(managementKey, 'DELETE', `/keys/${key.hash}`);
  await call(otherKey, 'POST', '/chat/completions', CHAT);
  await call(managementKey, 'DELETE', `/clients/${client.id}`);
  await call(clientSecret, 'GET', '/keys');
  await wrongPlaces();
  await call(managementKey, 'DELETE', `/byok/${stored[0]}`);
}

async function storeAll(managementKey: string): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (const credential of goodCredentials()) {
    canaries.push(credential);
    const { provider, key, name } = credential;
    const answer = await call(managementKey, 'POST', '/byok', { provider, key, name });
    expect([name, answer.status]).toEqual([name, 201]);
    ids.push((bodyOf(answer).data as Row).id);
  }
  return ids;
}

async function refuseAll(managementKey: string, openAiKeyId: string): Promise<void> {
  for (const credential of badCredentials()) {
    canaries.push(credential);
    const { provider, key, name } = credential;
    const answer = await call(managementKey, 'POST', '/byok', { provider, key });
    expect([name, answer.status]).toEqual([name, 400]);
    await call(managementKey, 'POST', '/byok', {
      provider,
      key,
      name: 'x'.repeat(300),
      allowed_api_key_hashes: [],
    });
    await call(managementKey, 'PATCH', `/byok/${openAiKeyId}`, { key: [key] });
    await rpc('ByokService/CreateByokKey', managementKey, JSON.stringify({ provider, key }));
  }
  const replacing = mark();
  canaries.push({ name: 'a credential in the place of another', texts: [replacing] });
  const answer = await call(managementKey, 'PATCH', `/byok/${openAiKeyId}`, {
    key: `sk-${replacing}-0123456789`,
  });
  expect(answer.status).toBe(200);
}

/** Chats and routes over all stored keys, the failing ones first. */
async function chatOver(apiKey: string, managementKey: string, stored: readonly unknown[]): Promise<void> {
  for (const model of ['demo/echo', 'openai/gpt']) {
    for (const stream of [false, true]) {
      const answer = await call(apiKey, 'POST', '/chat/completions', { ...CHAT, model, stream });
      expect([model, answer.status]).toEqual([model, model === 'demo/echo' ? 200 : 502]);
      await call(managementKey, 'GET', `/generation?id=${answer.headers['x-generation-id']}`);
    }
    await call(apiKey, 'POST', '/routing/explain', { model });
    await call(managementKey, 'POST', '/routing/explain', { model, api_key_hash: gateway.apiKeyHash });
  }
  await rpc('ChatService/CreateChatCompletion', apiKey, JSON.stringify({ chat: CHAT }));
  for (const id of stored) await call(managementKey, 'PATCH', `/byok/${id}`, { is_required: true });
  await call(apiKey, 'POST', '/chat/completions', { ...CHAT, model: 'openai/gpt' });
}

async function rpc(method: string, secret: string, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  answers.push(await send(`${gateway.url}/byway.v1.${method}`, 'POST', { headers, body }));
}

/** Secrets where they do not belong: in paths, queries, members, headers, broken bodies, and as credentials. */
async function wrongPlaces(): Promise<void> {
  const { managementKey } = gateway;
  const lost = (name: string) => {
    const text = mark();
    canaries.push({ name, texts: [text] });
    return text;
  };
  const unknown = `bw-v1-${'0123456789abcdef'.repeat(4)}`;
  trackSecret('an unknown API key', unknown);
  await call(unknown, 'GET', '/models');
  await call(lost('no key at all'), 'GET', '/keys');
  await call(managementKey, 'GET', '/keys', undefined, { authorization: `Basic ${lost('another scheme')}` });
  await call(managementKey, 'POST', '/byok', `{"provider":"openai","key": ${lost('a broken body')}`);
  await call(managementKey, 'POST', '/byok', `key=${lost('a form')}`, {
    'content-type': 'application/x-www-form-urlencoded',
  });
  await call(managementKey, 'POST', '/byok', {
    provider: 'openai',
    key: [[lost('a wrong type')]],
    disabled: null,
  });
  await call(
    managementKey,
    'POST',
    '/byok',
    JSON.stringify({ key: lost('a large body') }).padEnd(2 ** 20 + 1),
  );
  await rpc(
    'ByokService/CreateByokKey',
    managementKey,
    `{"provider":"openai","key": ${lost('a broken RPC')}`,
  );
  await rpc('ByokService/CreateByokKey', gateway.apiKey, `{"key":"${lost('an RPC without permission')}"}`);
}

function readAll(folder: string): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (statSync(path).isFile()) found.set(name, readFileSync(path));
  }
  return found;
}

/** The text in plain and in encoded forms. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  return [text, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
}

/** The secrets that are in the text. */
function leaksIn(text: string, exceptions: readonly string[] = []): string[] {
  const leaked = canaries.filter(({ texts }) => texts.flatMap(formsOf).some((form) => text.includes(form)));
  return leaked.map(({ name }) => name).filter((name) => !exceptions.includes(name));
}

describe('a secret is shown once, to its owner, and never again', () => {
  it('in no file of the data directory, but for the master key in its own', () => {
    const expected = usualKind() === 'sqlite' ? ['master.key', 'byway.db'] : ['master.key'];
    expect([...files.keys()]).toEqual(expect.arrayContaining(expected));
    for (const [name, bytes] of files) {
      const exceptions = name === 'master.key' ? ['the master key'] : [];
      expect([name, leaksIn(bytes.toString('latin1'), exceptions)]).toEqual([name, []]);
    }
    const masterKey = canaries.find(({ name }) => name === 'the master key')?.texts[0] ?? '';
    for (const [name, bytes] of files)
      expect([name, bytes.includes(Buffer.from(masterKey, 'base64'))]).toEqual([name, false]);
  });

  it('in no value of the database', () => {
    expect(stored.length).toBeGreaterThan(100);
    for (const value of stored) expect([value, leaksIn(value)]).toEqual([value, []]);
  });

  it('only its owner can read the file of the master key', () => {
    expect(statSync(join(gateway.dataDir, 'master.key')).mode & 0o077).toBe(0);
  });

  it('in no line of the log, at any level', () => {
    expect(gateway.log.length).toBeGreaterThan(answers.length);
    for (const line of gateway.log) expect([line, leaksIn(line)]).toEqual([line, []]);
  });

  it('in no body and no header of an answer, errors included', () => {
    expect(answers.filter(({ status }) => REFUSED.includes(status)).length).toBeGreaterThan(50);
    for (const { status, headers, text } of answers) {
      expect([status, text, leaksIn(text), leaksIn(JSON.stringify(headers))]).toEqual([status, text, [], []]);
    }
  });

  it('and the check would find one', () => {
    const [credential] = goodCredentials() as [CanaryCredential];
    canaries.push(credential);
    expect(leaksIn(`x ${credential.key} y`)).toEqual([credential.name]);
    expect(leaksIn(Buffer.from(String(credential.texts[0])).toString('base64'))).toEqual([credential.name]);
    canaries.pop();
  });
});
