import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY as ANTHROPIC_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { FAKE_API_KEY as BEDROCK_KEY, startFakeBedrock } from '../../support/fakes/fake-bedrock.js';
import { startFakeServer } from '../../support/fakes/fake-server.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { startGateway } from '../../support/gateway.js';
import { bodyOf, caller, rowsOf } from '../../support/rest.js';
import { eventsIn, HELLO, textIn } from './messages.fixture.js';

const TEXT = 'Grüezi mitenand 👋🏽!';

interface Host {
  readonly adapter: string;
  readonly base_url: string;
  readonly key: unknown;
  readonly upstream: string;
  readonly formats?: readonly string[];
  /** How many requests it got. */
  count(): number;
  /** The last request: its path, headers and body. */
  last(): { path: string; headers: Readonly<Record<string, unknown>>; text: string } | undefined;
}

const HOSTS: Readonly<Record<string, () => Promise<Host>>> = {
  async azure() {
    const fake = await startFakeAnthropic();
    return {
      adapter: 'azure',
      base_url: fake.origin,
      key: [{ api_key: ANTHROPIC_KEY, resource_name: 'my-resource', resource_type: 'catalog' }],
      upstream: 'claude-sonnet-4-6',
      count: () => fake.requests.length,
      last: () => fake.requests.at(-1),
    };
  },
  async openai() {
    const fake = await startFakeAnthropic();
    return {
      adapter: 'openai',
      base_url: fake.baseUrl,
      key: ANTHROPIC_KEY,
      upstream: 'claude-sonnet-4-6',
      formats: ['messages'],
      count: () => fake.requests.length,
      last: () => fake.requests.at(-1),
    };
  },
  async 'google-vertex'() {
    const fake = await startFakeVertex();
    return {
      adapter: 'google-vertex',
      base_url: fake.origin,
      key: fake.serviceAccount(),
      upstream: 'claude-sonnet-4-6',
      count: () => fake.requests.length,
      last: () => fake.requests.at(-1),
    };
  },
  async 'amazon-bedrock'() {
    const fake = await startFakeBedrock();
    fake.plan('eu.anthropic.claude-sonnet-4-6', { words: ['Grüezi', ' mitenand', ' 👋🏽!'] });
    return {
      adapter: 'amazon-bedrock',
      base_url: fake.baseUrl,
      key: BEDROCK_KEY,
      upstream: 'eu.anthropic.claude-sonnet-4-6',
      count: () => fake.requests.length,
      last: () => fake.requests.at(-1),
    };
  },
};

async function start(name: string) {
  const host = await (HOSTS[name] as () => Promise<Host>)();
  const { adapter, base_url, key, upstream: upstream_model_id, formats } = host;
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [{ slug: 'host', name: 'Host', adapter, base_url }],
      models: [
        demoModel('anthropic/claude', [{ provider: 'host', upstream_model_id, ...(formats && { formats }) }]),
      ],
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  const stored = await manage('POST', '/byok', { provider: 'host', key });
  expect(stored.status, stored.text).toBe(201);
  return { host, manage, use: caller(gateway, gateway.apiKey) };
}

const BODY = {
  model: 'anthropic/claude',
  ...HELLO,
  system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
  context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  metadata: { user_id: 'u-1' },
};

const BETAS = {
  'anthropic-beta': 'context-management-2025-06-27,advanced-tool-use-2025-11-20,files-api-2025-04-14',
};
const RENAMED = 'context-management-2025-06-27,tool-search-tool-2025-10-19';

const { model, metadata, ...REST } = BODY;

/** What each is sent for the whole answer; `headers` are some of them. */
const SENT: Readonly<Record<string, { path: string; headers: object; body: object }>> = {
  azure: {
    path: '/anthropic/v1/messages',
    headers: { 'x-api-key': ANTHROPIC_KEY, ...BETAS, 'anthropic-version': '2023-06-01' },
    body: { ...BODY, model: 'claude-sonnet-4-6' },
  },
  openai: {
    path: '/v1/messages',
    headers: { authorization: `Bearer ${ANTHROPIC_KEY}`, ...BETAS },
    body: { ...BODY, model: 'claude-sonnet-4-6' },
  },
  'google-vertex': {
    path: '/v1/projects/fake-project/locations/global/publishers/anthropic/models/claude-sonnet-4-6:rawPredict',
    headers: { 'anthropic-beta': RENAMED },
    body: { ...REST, metadata, anthropic_version: 'vertex-2023-10-16' },
  },
  'amazon-bedrock': {
    path: '/model/eu.anthropic.claude-sonnet-4-6/invoke',
    headers: { authorization: `Bearer ${BEDROCK_KEY}` },
    body: { ...REST, anthropic_version: 'bedrock-2023-05-31', anthropic_beta: RENAMED.split(',') },
  },
};

describe.each(Object.keys(HOSTS))('Messages at %s', (name) => {
  it('are sent as they came but for what the host demands, and answered as it answers', async () => {
    const { host, use, manage } = await start(name);
    const answer = await use('POST', '/messages', BODY, BETAS);
    expect(answer.status, answer.text).toBe(200);
    const { path, headers, body } = SENT[name] ?? {};
    const last = host.last();
    expect([last?.path, last?.headers]).toEqual([path, expect.objectContaining(headers ?? {})]);
    expect(JSON.parse(last?.text ?? '')).toEqual(body);
    expect(bodyOf(answer)).toMatchObject({
      model: 'anthropic/claude',
      content: [{ type: 'text', text: TEXT }],
      usage: { output_tokens: 3, is_byok: true },
    });
    const [record] = rowsOf(await manage('GET', '/generations'));
    expect(record).toMatchObject({ api: 'messages', lane: 'native', native_finish_reason: 'end_turn' });
  });

  it('are made to fit where the host refuses what others take, and what is changed is told', async () => {
    const { use, host } = await start(name);
    const one = { type: 'object', properties: { path: { type: 'string' } } };
    const tools = [{ name: 'files.read', input_schema: { anyOf: [one] }, eager_input_streaming: true }];
    const body = {
      ...HELLO,
      model: BODY.model,
      max_tokens: 100,
      tools,
      cache_control: { type: 'ephemeral' },
    };
    const answer = await use('POST', '/messages', body);
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    expect(answer.headers['x-byway-adapted']).toContain('tools[0].input_schema');
    expect(host.last()?.text).toContain('files_read');
    const { model, messages } = body;
    expect((await use('POST', '/messages/count_tokens', { model, messages, tools })).status).toBe(200);
  });

  it('with features that are newer than this gateway go through, once where the host says no word about which it lacks', async () => {
    const { use, host } = await start(name);
    const known = 'context-management-2025-06-27,interleaved-thinking-2025-05-14';
    const newer = `${known},something-new-2027-01-01`;
    for (const stream of [false, true]) {
      const answer = await use('POST', '/messages', { ...BODY, stream }, { 'anthropic-beta': newer });
      expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    }
    const isNamed = name !== 'amazon-bedrock';
    const { headers, text } = host.last() ?? {};
    const sent = isNamed ? headers?.['anthropic-beta'] : JSON.parse(text ?? '{}').anthropic_beta;
    expect(sent).toEqual(isNamed ? newer : known.split(','));
    expect(host.count()).toBe(2);
  });

  it('are streamed', async () => {
    const { use } = await start(name);
    const answer = await use('POST', '/messages', { ...BODY, stream: true }, BETAS);
    expect(answer.status, answer.text).toBe(200);
    const events = eventsIn(answer.text);
    expect(textIn(events)).toBe(TEXT);
    expect(events.at(-2)).toMatchObject({
      type: 'message_delta',
      usage: { output_tokens: 3, is_byok: true },
    });
    expect(events.at(-1)).toMatchObject({ type: 'message_stop' });
  });

  it('are counted', async () => {
    const { use } = await start(name);
    const answer = await use('POST', '/messages/count_tokens', {
      model: BODY.model,
      messages: HELLO.messages,
    });
    expect([answer.status, bodyOf(answer)]).toEqual([200, { input_tokens: expect.any(Number) }]);
  });

  it('are what a chat with Claude costs', async () => {
    const { use } = await start(name);
    const chat = bodyOf(await use('POST', '/chat/completions', { model: BODY.model, ...HELLO }));
    const message = bodyOf(await use('POST', '/messages', { model: BODY.model, ...HELLO }));
    const costs = [chat, message].map(({ usage }) => (usage as { cost_details: unknown }).cost_details);
    expect(costs[0]).toEqual(costs[1]);
  });
});

/** A server of media, which calls a picture by another name than its bytes do. */
async function startMedia() {
  const files: Readonly<Record<string, readonly [type: string, bytes: Buffer]>> = {
    '/a.png': ['image/jpeg', Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64')],
    '/a.pdf': ['application/pdf', Buffer.from('%PDF-1.7')],
    '/a.txt': ['text/plain; charset=utf-8', Buffer.from('Grüezi')],
    '/a.zip': ['application/zip', Buffer.from('PK')],
  };
  const asked: string[] = [];
  const { origin } = await startFakeServer(async ({ request, response }) => {
    asked.push(String(request.url));
    const [type, bytes] = files[String(request.url)] ?? [];
    response.writeHead(type === undefined ? 404 : 200, { 'content-type': type ?? 'text/html' });
    response.end(bytes);
  });
  const at = (type: string, path: string) => ({ type, source: { type: 'url', url: `${origin}${path}` } });
  return { asked, at };
}

describe.each(['google-vertex', 'amazon-bedrock'])('media that Messages name by URL, at %s', (name) => {
  it('are fetched, called what they are, and sent in their places, those in results too', async () => {
    const { host, use } = await start(name);
    const { at, asked } = await startMedia();
    const messages = [
      { role: 'user', content: [at('image', '/a.png'), at('document', '/a.pdf'), at('document', '/a.txt')] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: [at('image', '/a.png')] }],
      },
    ];
    const tools = [{ name: 'look', input_schema: { type: 'object', properties: {} } }];
    const answer = await use('POST', '/messages', { ...HELLO, model: BODY.model, messages, tools });
    expect(answer.status, answer.text).toBe(200);
    const sent = JSON.parse(host.last()?.text ?? '').messages;
    const png = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' };
    expect(sent[0].content.map(({ source }: { source: object }) => source)).toEqual([
      png,
      { type: 'base64', media_type: 'application/pdf', data: Buffer.from('%PDF-1.7').toString('base64') },
      { type: 'text', media_type: 'text/plain', data: 'Grüezi' },
    ]);
    expect(sent[2].content[0].content).toEqual([{ type: 'image', source: png }]);
    expect(asked).toEqual(['/a.png', '/a.pdf', '/a.txt']);
  });

  it.each([
    ['/a.zip', 'as a document it has to be a PDF or a text, and is application/zip'],
    ['/none.pdf', 'its server answered with status 404'],
  ])('are refused by name where they can’t be: %s', async (path, why) => {
    const { host, use } = await start(name);
    const { at } = await startMedia();
    const messages = [{ role: 'user', content: [at('document', path), { type: 'text', text: 'What?' }] }];
    const answer = await use('POST', '/messages', { ...HELLO, model: BODY.model, messages });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(why)]);
    expect(host.last()).toBeUndefined();
  });
});

describe('Messages at amazon-bedrock', () => {
  it('ask for the beta features that their tools need there, and are refused for tools that it has not', async () => {
    const { host, use } = await start('amazon-bedrock');
    const ask = (...tools: object[]) => use('POST', '/messages', { ...HELLO, model: BODY.model, tools });
    const own = { name: 'look', input_schema: { type: 'object', properties: {} } };
    const found = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
    expect((await ask(found, { ...own, defer_loading: true }, { ...own, name: 'see' })).status).toBe(200);
    const { anthropic_beta, tools } = JSON.parse(host.last()?.text ?? '');
    expect(anthropic_beta).toEqual(['tool-search-tool-2025-10-19']);
    expect(tools[1].defer_loading).toBe(true);
    const refused = await ask({ type: 'web_search_20250305', name: 'web_search', max_uses: 1 });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('tools[0].type: Host takes no tools of type web_search_20250305'),
    ]);
  });

  it('are served where nothing is asked of it that it does not have, and refused before they are sent otherwise', async () => {
    const { use } = await start('amazon-bedrock');
    const ask = (more: object) => use('POST', '/messages', { ...BODY, ...more });
    expect((await ask({ inference_geo: 'global', container: null })).status).toBe(200);
    for (const more of [{ inference_geo: 'eu' }, { container: 'container_1' }]) {
      const { status, text } = await ask(more);
      const name = Object.keys(more)[0];
      expect([status, text]).toEqual([400, expect.stringContaining(`${name}: Host takes no \`${name}\``)]);
    }
  });
});
