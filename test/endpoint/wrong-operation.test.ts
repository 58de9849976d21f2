/** Requests to models that an operation is not for: `docs/embeddings.md`, `docs/rerank.md`, `docs/formats.md#text-completions`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { demoModel, demoProvider, embeddingModel, rerankModel } from '../support/catalog.js';
import { launchGateway } from '../support/gateway.js';
import { bodyOf, type Call, caller, type Row } from '../support/rest.js';

/** By what they speak. */
const MODELS = {
  chat: demoModel('test/chat', [echo('chat')]),
  completions: demoModel('test/completions', [echo('completions')]),
  embeddings: embeddingModel('test/embeddings', ['demo']),
  rerank: rerankModel('test/rerank', ['demo']),
};

function echo(format: string) {
  return { provider: 'demo', upstream_model_id: 'echo', formats: [format] };
}

type Spoken = keyof typeof MODELS;

/** Requests that are never sent in another form, and the member that their refusal names. */
const NEVER_TRANSLATED: Readonly<Record<Exclude<Spoken, 'chat'>, [body: object, names: string]>> = {
  completions: [{ prompt: 'Hello' }, 'prompt'],
  embeddings: [{ input: 'Hello' }, 'model'],
  rerank: [{ query: 'Hello', documents: ['Hello'] }, 'model'],
};

const MESSAGES = [{ role: 'user', content: 'Hello' }];

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let use: Call;
beforeAll(async () => {
  gateway = await launchGateway({
    catalog: { providers: [demoProvider('demo')], models: Object.values(MODELS) },
  });
  use = caller(gateway, gateway.apiKey);
});
afterAll(() => gateway.stop());

it.each(
  Object.entries(NEVER_TRANSLATED).flatMap(([asked, [body, names]]) =>
    Object.keys(MODELS)
      .filter((spoken) => spoken !== asked)
      .map((spoken) => [asked, spoken, body, names] as const),
  ),
)(
  'a request for %s to a model that has %s alone is 400 and names the member',
  async (asked, spoken, body, names) => {
    const answer = await use('POST', `/${asked}`, { model: `test/${spoken}`, ...body });
    const { type, param, message } = bodyOf(answer).error as Row;
    expect([answer.status, type, param]).toEqual([400, 'invalid_request_error', names]);
    expect(message).toMatch(/^\w+: needs an endpoint that .* or send this one a request of its own API$/);
  },
);

it.each(Object.keys(NEVER_TRANSLATED))(
  'a chat to a model that has %s alone is 404 and names that API',
  async (spoken) => {
    const answer = await use('POST', '/chat/completions', { model: `test/${spoken}`, messages: MESSAGES });
    const { type, message, metadata } = bodyOf(answer).error as Row & { metadata: Row };
    expect([answer.status, type, metadata.reason]).toEqual([404, 'not_found_error', 'no_endpoint']);
    expect(message).toContain(`its own API (${spoken})`);
  },
);

it('a request that another limit stands in the way of too is told of that one', async () => {
  const provider = { only: ['demo'], data_collection: 'deny', zdr: true, max_price: { prompt: '0' } };
  const answer = await use('POST', '/rerank', {
    ...{ model: 'test/chat', query: 'Hello', documents: ['Hello'], provider },
  });
  expect([answer.status, (bodyOf(answer).error as { metadata: Row }).metadata.reason]).toEqual([
    404,
    'no_endpoint',
  ]);
});
