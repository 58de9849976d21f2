import { expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_AZURE_KEY, startFakeAzure } from '../../support/fakes/fake-azure.js';
import { startGateway } from '../../support/gateway.js';
import { caller, recordOf } from '../../support/rest.js';

async function start() {
  const azure = await startFakeAzure();
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [{ slug: 'azure', name: 'Azure', adapter: 'azure', base_url: azure.baseUrl }],
      models: [demoModel('openai/gpt-5.6-sol', [{ provider: 'azure', upstream_model_id: 'prod' }])],
    },
  });
  const key = [{ api_key: FAKE_AZURE_KEY, resource_name: 'my-resource', resource_type: 'catalog' }];
  recordOf(await caller(gateway, gateway.managementKey)('POST', '/byok', { provider: 'azure', key }));
  return { azure, use: caller(gateway, gateway.apiKey) };
}

const UNION = { anyOf: [{ type: 'object', properties: { raw: { type: 'string' } }, required: ['raw'] }] };
const ping = { type: 'function', name: 'ping', parameters: { type: 'object', properties: {} } };

/** As Codex 0.147 sends it, to a provider that is called OpenAI: its tools are an item, each item has notes. */
const REQUEST = {
  model: 'openai/gpt-5.6-sol',
  client_metadata: { thread: 't' },
  input: [
    {
      type: 'additional_tools',
      role: 'developer',
      tools: [
        { type: 'namespace', name: 'functions', description: '', tools: [ping] },
        {
          type: 'namespace',
          name: 'mcp__mail',
          description: 'Mail',
          tools: [{ type: 'function', name: 'draft', parameters: UNION }],
        },
      ],
    },
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Hi' }],
      internal_chat_message_metadata_passthrough: { turn_id: 't' },
    },
  ],
};

it.each([false, true])(
  'Azure is sent what it takes of a newer Codex, natively (streamed: %s)',
  async (stream) => {
    const { azure, use } = await start();
    const answer = await use('POST', '/responses', { ...REQUEST, stream });
    expect([answer.status, azure.requests.map(({ refused }) => refused)]).toEqual([200, [undefined]]);
    const record = recordOf(await use('GET', `/generation?id=${answer.headers['x-generation-id']}`));
    expect(record).toMatchObject({ api: 'responses', lane: 'native' });
    expect(azure.requests[0]?.path).toMatch(/\/responses$/);
    expect(azure.requests[0]?.text).toContain('"name":"draft"');
  },
);
