import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel } from '../support/catalog.js';
import { FAKE_API_KEY, type FakeOpenAi, startFakeOpenAi } from '../support/fakes/fake-openai.js';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { startPeer } from '../support/peer-process.js';
import { CONTENT, hear } from '../support/providers.js';
import { caller, recordOf } from '../support/rest.js';

/** The proxy's executable, which `npm run litellm` installs. */
const { LITELLM } = process.env;

/** It imports for a minute or two on a slow machine. */
const START_MS = 300_000;
/** The proxy's name of the fake's model; by it the adapter takes it for one that takes schemas. */
const MODEL = 'claude-haiku-4-5';
const PROXY_KEY = 'sk-litellm-0123456789abcdef';
const ADAPTERS = ['openai', 'anthropic'] as const;

const FUNCTION = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const CALL = {
  id: 'call_fake1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Zürich"}' },
};
const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
};
const tools = [{ type: 'function', function: FUNCTION }];

/** What is asked, and what every adapter must hear. */
const KINDS: readonly (readonly [kind: string, request: object, heard: object])[] = [
  ['plain', {}, { content: CONTENT, finishReason: 'stop' }],
  ['tools', { tools }, { content: '', finishReason: 'tool_calls' }],
  [
    'a schema',
    { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA, strict: true } } },
    { content: CONTENT, finishReason: 'stop' },
  ],
  [
    'a history of tools',
    {
      tools,
      messages: [
        { role: 'user', content: 'Weather in Zürich?' },
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: CALL.id, content: 'Rain' },
      ],
    },
    { content: CONTENT, finishReason: 'stop' },
  ],
];

/** An upstream that this project has not written: what the fakes take for granted, another implementation must take. */
describe.runIf(LITELLM !== undefined)('LiteLLM’s proxy, called by the adapter', () => {
  const ends: (() => Promise<void> | void)[] = [];
  let gateway: TestGateway & { readonly stop: () => Promise<void> };
  let fake: FakeOpenAi;

  beforeAll(async () => {
    fake = await startFakeOpenAi((end) => void ends.push(end));
    const root = await startProxy(fake.baseUrl, (end) => void ends.push(end));
    gateway = await launchGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
      catalog: {
        providers: ADAPTERS.map((adapter) => ({
          slug: adapter,
          name: adapter,
          adapter,
          base_url: `${root}/v1`,
        })),
        models: ADAPTERS.map((adapter) =>
          demoModel(`${adapter}/m`, [{ provider: adapter, upstream_model_id: MODEL }]),
        ),
      },
    });
    const manage = caller(gateway, gateway.managementKey);
    for (const provider of ADAPTERS) recordOf(await manage('POST', '/byok', { provider, key: PROXY_KEY }));
  }, START_MS);

  afterAll(async () => {
    await gateway?.stop();
    for (const end of ends) await end();
  });

  it.each(
    ADAPTERS.flatMap((adapter) =>
      KINDS.flatMap(([kind, request, heard]) =>
        [false, true].map((stream) => ({ adapter, kind, request, heard, stream })),
      ),
    ),
  )('$adapter, $kind, streamed: $stream', async ({ adapter, request, heard, stream }) => {
    const use = caller(gateway, gateway.apiKey);
    const messages = [{ role: 'user', content: 'Hello there' }];
    const body = { model: `${adapter}/m`, messages, max_tokens: 100, ...request, stream };
    const answer = await use('POST', '/chat/completions', body);
    expect(hear(answer)).toMatchObject({ status: 200, error: null, isDone: true, ...heard });
    if ('tools' in request && !('messages' in request)) expect(callIn(answer.text)).toEqual(CALL.function);
    expect(fake.requests.at(-1)?.body).toMatchObject(stream ? { stream } : {});
  });
});

/** The function that is called, from an answer in one piece or from the fragments of a stream. */
function callIn(text: string): object {
  const names = [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
  const pieces = [...text.matchAll(/"arguments":("(?:[^"\\]|\\.)*")/g)].map(([, piece]) =>
    JSON.parse(piece ?? '""'),
  );
  return { name: names[0], arguments: JSON.stringify(JSON.parse(pieces.join(''))) };
}

/** Starts the proxy in front of the fake; the root of its URLs. */
async function startProxy(fakeUrl: string, atEnd: (end: () => void) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'byway-litellm-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'config.yaml');
  const upstream = { model: 'openai/m', api_base: fakeUrl, api_key: FAKE_API_KEY };
  writeFileSync(
    config,
    // JSON is YAML.
    JSON.stringify({
      model_list: [{ model_name: MODEL, litellm_params: upstream }],
      general_settings: { master_key: PROXY_KEY },
      // Messages are translated to chats, which is what the fake speaks.
      litellm_settings: { num_retries: 0, use_chat_completions_url_for_anthropic_messages: true },
    }),
  );
  return startPeer(
    {
      command: LITELLM ?? '',
      args: (port) => [
        ...['--config', config, '--host', '127.0.0.1', '--port', String(port)],
        ...['--telemetry', 'False'],
      ],
      readyPath: '/health/liveliness',
      startMs: START_MS,
      cwd: folder,
      // Prices are of no interest, and would be fetched.
      env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    },
    atEnd,
  );
}
