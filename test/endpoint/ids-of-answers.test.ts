import { afterAll, beforeAll, expect, it } from 'vitest';
import { demoModel, demoProvider, embeddingModel, rerankModel } from '../support/catalog.js';
import { launchGateway } from '../support/gateway.js';
import { bodyOf, type Call, caller, recordOf } from '../support/rest.js';

const messages = [{ role: 'user', content: 'Hello' }];

const REQUESTS: Readonly<Record<string, object>> = {
  'chat/completions': { model: 'test/chat', messages },
  completions: { model: 'test/chat', prompt: 'Hello' },
  embeddings: { model: 'test/embed', input: 'Hello' },
  messages: { model: 'test/chat', messages, max_tokens: 9 },
  rerank: { model: 'test/rerank', query: 'Hello', documents: ['Hello'] },
  responses: { model: 'test/chat', input: 'Hello' },
};

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let use: Call;
beforeAll(async () => {
  const models = [
    demoModel('test/chat', ['demo']),
    embeddingModel('test/embed', ['demo']),
    rerankModel('test/rerank', ['demo']),
  ];
  gateway = await launchGateway({ catalog: { providers: [demoProvider('demo')], models } });
  use = caller(gateway, gateway.apiKey);
});
afterAll(() => gateway.stop());

it.each(Object.entries(REQUESTS))(
  'the id of an answer to /%s, and that of its header, find its record and its receipt',
  async (path, request) => {
    const answer = await use('POST', `/${path}`, request);
    const named = answer.headers['x-generation-id'];
    for (const id of [bodyOf(answer).id, named]) {
      expect(recordOf(await use('GET', `/generation?id=${id}`)).id).toBe(named);
      expect(recordOf(await use('GET', `/generation/receipt?id=${id}`)).generation_id).toBe(named);
    }
  },
);
