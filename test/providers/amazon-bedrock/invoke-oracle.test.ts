import {
  type BedrockRuntimeClient,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { expect, it, onTestFinished } from 'vitest';
import { FAKE_ACCESS_KEY, FAKE_API_KEY, startFakeBedrock } from '../../support/fakes/fake-bedrock.js';
import { officialClient, type Proof } from './official-client.fixture.js';

const CONTENT = 'Grüezi mitenand 👋🏽!';

async function start(proof: Proof): Promise<BedrockRuntimeClient> {
  const { baseUrl } = await startFakeBedrock();
  const client = officialClient(baseUrl, proof);
  onTestFinished(() => client.destroy());
  return client;
}

function inputOf(more: object = {}) {
  const body = {
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello there' }],
    ...more,
  };
  return { modelId: 'anthropic.claude-sonnet-4-6', body: JSON.stringify(body) };
}

const PROOFS: [string, Proof][] = [
  ['an access key', FAKE_ACCESS_KEY],
  ['a bare key', { apiKey: FAKE_API_KEY }],
];

it.each(PROOFS)('the fake answers InvokeModel to the official client with %s', async (_, proof) => {
  const client = await start(proof);
  const { body } = await client.send(new InvokeModelCommand(inputOf()));
  const message = JSON.parse(Buffer.from(body).toString());
  expect(message).toMatchObject({ type: 'message', content: [{ type: 'text', text: CONTENT }] });
});

it.each(PROOFS)('the fake streams InvokeModel to the official client with %s', async (_, proof) => {
  const client = await start(proof);
  const { body } = await client.send(new InvokeModelWithResponseStreamCommand(inputOf()));
  const events = [];
  for await (const { chunk } of body ?? [])
    events.push(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()));
  expect(events.map(({ delta }) => delta?.text ?? '').join('')).toBe(CONTENT);
  expect([events[0].type, events.at(-1).type]).toEqual(['message_start', 'message_stop']);
});

it.each([
  ['amazon.titan-embed-text-v2:0', { inputText: 'Hello', dimensions: 256, normalize: true }, 'embedding'],
  [
    'cohere.embed-multilingual-v3',
    { texts: ['Hello'], input_type: 'search_query', embedding_types: ['float'] },
    'embeddings',
  ],
])('the fake embeds for the official client with %s', async (modelId, sent, member) => {
  const client = await start(FAKE_ACCESS_KEY);
  const { body } = await client.send(new InvokeModelCommand({ modelId, body: JSON.stringify(sent) }));
  expect(JSON.parse(Buffer.from(body).toString())).toHaveProperty(member);
});

it.each([
  [{ anthropic_version: undefined }, 'anthropic_version: Field required'],
  [{ model: 'claude-sonnet-4-6' }, 'model: Extra inputs are not permitted'],
  [{ stream: true }, 'stream: Extra inputs are not permitted'],
])('the fake refuses InvokeModel with %j', async (more, message) => {
  const client = await start(FAKE_ACCESS_KEY);
  await expect(client.send(new InvokeModelCommand(inputOf(more)))).rejects.toMatchObject({
    name: 'ValidationException',
    message,
  });
});
