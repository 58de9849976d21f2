import OpenAI, { AzureOpenAI } from 'openai';
import { describe, expect, it } from 'vitest';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import { normalizedOf } from '../../../src/inference/ports/adapter.js';
import { FAKE_AZURE_KEY, startFakeAzure } from '../../support/fakes/fake-azure.js';
import { eventsOf, textIn } from '../openai/adapter.fixture.js';
import { azureCall, deployment, resource, startAzureAdapter, startAzureTable } from './adapter.fixture.js';

const CONTENT = 'Grüezi mitenand 👋🏽!';
const messages = [{ role: 'user' as const, content: 'Hello there' }];
const tools = [
  {
    type: 'function' as const,
    function: { name: 'weather', parameters: { type: 'object', properties: {} } },
  },
];

function client(endpoint: string, overrides: { apiKey?: string; apiVersion?: string } = {}): AzureOpenAI {
  return new AzureOpenAI({
    endpoint,
    apiKey: FAKE_AZURE_KEY,
    apiVersion: '2024-10-21',
    maxRetries: 0,
    ...overrides,
  });
}

describe('the fake is a resource for the official client', () => {
  it('answers in one piece', async () => {
    const fake = await startFakeAzure();
    const answer = await client(fake.baseUrl).chat.completions.create({ model: 'gpt-m', messages });
    expect(answer.choices[0]?.message.content).toBe(CONTENT);
    expect(answer.model).toBe('gpt-m-2024-08-06');
  });

  it('streams, as its accumulating helper puts it together', async () => {
    const fake = await startFakeAzure();
    const stream = client(fake.baseUrl).chat.completions.stream({ model: 'gpt-m', messages, tools });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { arguments: '{"city":"Zürich"}' },
    });
  });

  it.each([
    ['a wrong key', { apiKey: 'wrong' }, {}, AzureOpenAI.AuthenticationError, '401'],
    ['what is not deployed', {}, { model: 'gpt-n' }, AzureOpenAI.NotFoundError, 'DeploymentNotFound'],
    ['an argument that nobody knows', {}, { provider: {} }, AzureOpenAI.BadRequestError, null],
    [
      'what a version does not know',
      { apiVersion: '2024-06-01' },
      { stream: true, stream_options: { include_usage: true } },
      AzureOpenAI.BadRequestError,
      null,
    ],
  ])('refuses %s', async (_, settings, more, kind, code) => {
    const fake = await startFakeAzure();
    const pending = client(fake.baseUrl, settings).chat.completions.create({
      model: 'gpt-m',
      messages,
      ...more,
    });
    const error = await pending.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ code });
  });
});

const BODIES: [string, Partial<ChatBody>][] = [
  ['no options', {}],
  ['tools', { tools, tool_choice: 'auto', parallel_tool_calls: false }],
  ['sampling', { temperature: 0.2, top_p: 0.9, seed: 7, stop: ['a', 'b'], n: 2, user: 'u', logprobs: true }],
  ['a limit', { max_tokens: 3 }],
];

/** Microsoft's way to the path without a version is OpenAI's client; the key goes where Azure's client puts it. */
function undatedClient(endpoint: string): OpenAI {
  const defaultHeaders = { 'api-key': FAKE_AZURE_KEY, authorization: null };
  return new OpenAI({ baseURL: `${endpoint}/openai/v1`, apiKey: 'unused', maxRetries: 0, defaultHeaders });
}

const VERSION = '2025-04-01-preview';

describe.each([
  ['at the path without a version', resource(), undatedClient],
  [
    'at a dated version',
    resource({ apiVersion: VERSION }),
    (endpoint: string) => client(endpoint, { apiVersion: VERSION }),
  ],
])('the adapter sends what the official client sends, %s', (_, credential, official) => {
  it.each(BODIES)('in one piece, with %s', async (_, body) => {
    const { fake, complete } = await startAzureTable();
    await complete({ credential, body });
    const more: object = body;
    await official(fake.baseUrl).chat.completions.create({ model: 'gpt-m', messages, ...more });
    sameRequests(fake.requests);
  });

  it.each(BODIES)('streamed, with %s', async (_, body) => {
    const { fake, stream } = await startAzureTable();
    expect((await stream({ credential, body })).thrown).toBeUndefined();
    const more = { ...(body as object), stream: true as const, stream_options: { include_usage: true } };
    for await (const _ of await official(fake.baseUrl).chat.completions.create({
      model: 'gpt-m',
      messages,
      ...more,
    }));
    sameRequests(fake.requests);
  });
});

describe('the adapter sends what the official client sends', () => {
  it('at the deployment of a per-deployment entry, by its own version', async () => {
    const { fake, complete } = await startAzureTable();
    await complete({ credential: deployment() });
    const theirs = client(fake.baseUrl, { apiVersion: '2025-01-01-preview' });
    await theirs.chat.completions.create({ model: 'prod', messages });
    sameRequests(fake.requests);
    expect(fake.requests[0]?.body.model).toBe('prod');
  });

  it('and no other headers', async () => {
    const { fake, complete } = await startAzureTable();
    await complete();
    const { host, connection, 'content-length': length, ...headers } = fake.requests[0]?.headers ?? {};
    expect(headers).toEqual({
      'api-key': FAKE_AZURE_KEY,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'byway',
    });
  });
});

describe('the adapter reads the same out of the answer', () => {
  const entries = [
    ['a deployment-style resource', resource()],
    ['a catalog-style resource', resource({ resourceType: 'catalog' })],
    ['a per-deployment entry', deployment()],
    [
      'a version without usage in streams',
      deployment({
        endpointUrl: 'https://r.openai.azure.com/deployments/prod/chat/completions?api-version=2024-06-01',
      }),
    ],
  ] as const;

  it.each(entries)('of %s, in one piece and streamed', async (_, credential) => {
    const fake = await startFakeAzure();
    const adapter = startAzureAdapter();
    for (const more of [{}, { max_tokens: 1 }, { tools }]) {
      const call = azureCall(fake.baseUrl, { credential, body: more });
      const whole = normalizedOf(await adapter.complete(call));
      const { events, thrown } = await eventsOf(adapter.stream(call));
      expect(thrown).toBeUndefined();
      const [choice] = whole.choices;
      expect(textIn(events)).toBe(choice?.message.content ?? '');
      expect(events.find(({ type }) => type === 'finish')).toMatchObject({ reason: choice?.finish_reason });
      const isMetered = !('endpointUrl' in credential) || !credential.endpointUrl.includes('2024-06-01');
      const usage = isMetered ? { type: 'usage', usage: whole.usage } : undefined;
      expect(events.findLast(({ type }) => type === 'usage')).toEqual(usage);
    }
  });
});

function sameRequests([ours, theirs]: Awaited<ReturnType<typeof startFakeAzure>>['requests']): void {
  expect(ours?.path).toBe(theirs?.path);
  expect(ours?.body).toEqual(theirs?.body);
  expect(ours?.headers['api-key']).toBe(theirs?.headers['api-key']);
  expect(ours?.headers['content-type']).toBe(theirs?.headers['content-type']);
  expect(ours?.headers.authorization).toBe(theirs?.headers.authorization);
}
