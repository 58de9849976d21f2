import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { FAKE_API_KEY, type FakeOpenAi, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { launchGateway } from '../../support/gateway.js';
import { type Call, caller, type Row, recordOf, refusalOf } from '../../support/rest.js';

const ends: (() => unknown)[] = [];
let fake: FakeOpenAi;
let use: Call;

/** Served by Claude's maker and by a provider that speaks chats alone, which gives at most 100 tokens. */
const MODEL = 'test/both';

beforeAll(async () => {
  fake = await startFakeOpenAi((end) => void ends.push(end));
  const gateway = await launchGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [
        demoProvider('claude', { adapter: 'anthropic', base_url: 'http://127.0.0.1:9/v1' }),
        demoProvider('chats', { adapter: 'openai', base_url: fake.baseUrl }),
      ],
      models: [
        demoModel(
          MODEL,
          [
            { provider: 'claude', upstream_model_id: 'claude' },
            { provider: 'chats', upstream_model_id: 'm', max_completion_tokens: 100 },
          ],
          { context_length: 1_000_000 },
        ),
      ],
    },
  });
  ends.push(() => gateway.stop());
  use = caller(gateway, gateway.apiKey);
  const manage = caller(gateway, gateway.managementKey);
  for (const provider of ['claude', 'chats']) {
    recordOf(await manage('POST', '/byok', { provider, key: FAKE_API_KEY }));
  }
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const MESSAGES = [{ role: 'user', content: 'Hello there' }];

interface Explained {
  readonly attempts: Row[];
  readonly excluded: Row[];
}

async function explain(members: object): Promise<Explained> {
  return recordOf(
    await use('POST', '/routing/explain', { model: MODEL, ...members }),
  ) as unknown as Explained;
}

const byKey = ({ attempts, excluded }: Explained) => ({
  attempts: attempts.filter(({ is_byok }) => is_byok).map(({ provider, lane }) => `${provider} ${lane}`),
  excluded: excluded
    .filter(({ byok_key_id }) => byok_key_id !== null)
    .map(({ provider, reason, detail }) => [provider, reason, detail]),
});

describe('explain with a format', () => {
  it('says by which lane each attempt would be made', async () => {
    const messages = byKey(await explain({ format: 'messages', messages: MESSAGES }));
    expect(messages.attempts.toSorted()).toEqual(['chats translated', 'claude native']);
    const chats = byKey(await explain({ messages: MESSAGES }));
    expect(chats.attempts.toSorted()).toEqual(['chats native', 'claude translated']);
    expect(byKey(await explain({ format: 'chat' }))).toEqual(chats);
    expect(byKey(await explain({ format: 'messages' }))).toEqual(messages);
  });

  it('excludes endpoints that can’t do what only the format can say', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const { attempts, excluded } = byKey(await explain({ format: 'messages', messages: MESSAGES, tools }));
    expect(attempts).toEqual(['claude native']);
    expect(excluded).toEqual([
      ['chats', 'unsupported_parameter', expect.stringContaining('web_search_20250305')],
    ]);
  });

  it('takes the request of a client as it is', async () => {
    const tools = [
      { name: 'Read', description: 'Reads a file', input_schema: { type: 'object', properties: {} } },
    ];
    const request = {
      ...{ format: 'messages', max_tokens: 64, tools, tool_choice: { type: 'auto' } },
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
      thinking: { type: 'adaptive', display: 'omitted' },
      metadata: { user_id: '{"session_id":"x"}' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Read it' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Read', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'text' }] },
      ],
    };
    expect(byKey(await explain(request)).attempts.toSorted()).toEqual(['chats translated', 'claude native']);
  });

  it('refuses one that there is not', async () => {
    const answer = await use('POST', '/routing/explain', { model: MODEL, format: 'letters' });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'format enum']);
  });
});
