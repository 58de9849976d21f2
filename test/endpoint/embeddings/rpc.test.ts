import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { createByway } from '../../../src/client/index.js';
import { vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { MODEL, startEmbeddings } from './embeddings.fixture.js';

const TEXTS = ['Hello', 'Grüezi'];

describe.each(['gRPC', 'Connect in JSON'] as const)('over %s', (transport) => {
  it('embeddings are packed floats, or base64 where that is asked for, and tokens can be sent', async () => {
    const { gateway, hosts } = await startEmbeddings({ model: 'openai/embed' });
    const authorized = {
      headers: { authorization: `Bearer ${gateway.apiKey}` },
    };
    const { embeddings } = createByway(
      transport === 'gRPC'
        ? createGrpcTransport({ baseUrl: gateway.url })
        : createConnectTransport({ baseUrl: gateway.url, httpVersion: '1.1', useBinaryFormat: false }),
    );
    const ask = (encodingFormat?: string) => {
      const values = TEXTS.map((value) => ({ form: { case: 'text' as const, value } }));
      const input = { form: { case: 'list' as const, value: { values } } };
      const request = { model: 'openai/embed', input, ...(encodingFormat && { encodingFormat }) };
      return embeddings.create({ request }, authorized);
    };
    const { data, usage, object } = await ask();
    expect(data.map(({ embedding }) => embedding?.form)).toMatchObject(
      TEXTS.map((text) => ({ case: 'floats', value: { values: vectorOfInput(text) } })),
    );
    expect([object, usage]).toMatchObject(['list', { prompt_tokens: 11, total_tokens: 11 }]);
    const inBase64 = (await ask('base64')).data.map(({ embedding }) => embedding?.form);
    expect(inBase64).toEqual(
      TEXTS.map((text) => ({
        case: 'base64',
        value: Buffer.from(Float32Array.from(vectorOfInput(text)).buffer).toString('base64'),
      })),
    );
    const values = [{ form: { case: 'tokens' as const, value: { values: [15339, 1917] } } }];
    const input = { form: { case: 'list' as const, value: { values } } };
    await embeddings.create({ request: { model: 'openai/embed', input } }, authorized);
    expect(hosts[0]?.calls.at(-1)?.body.input).toEqual([[15339, 1917]]);
  });
});

it('a request that is refused says why, as over REST', async () => {
  const { gateway } = await startEmbeddings();
  const { embeddings } = createByway(createGrpcTransport({ baseUrl: gateway.url }));
  const headers = { authorization: `Bearer ${gateway.apiKey}` };
  const input = { form: { case: 'text' as const, value: '' } };
  await expect(embeddings.create({ request: { model: MODEL, input } }, { headers })).rejects.toThrow(
    /\[invalid_argument\].*input/,
  );
});

describe('a form that is left open is refused by its field, and nothing is sent', () => {
  it.each([
    ['EmbeddingService/CreateEmbeddings', { model: 'demo/embed', input: {} }, 'input'],
    [
      'EmbeddingService/CreateEmbeddings',
      { model: 'demo/embed', input: { list: { values: [{}] } } },
      'input[0]',
    ],
    [
      'RerankService/Rerank',
      { model: 'demo/rerank', query: 'a', documents: [{ text: 'a' }, {}] },
      'documents[1]',
    ],
    ['CompletionService/CreateCompletion', { model: 'demo/echo', prompt: {} }, 'prompt'],
  ])('%s %j', async (method, request, field) => {
    const { gateway } = await startEmbeddings();
    const answer = await fetch(`${gateway.url}/byway.v1.${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ request }),
    });
    const { details } = (await answer.json()) as { details: { debug: { violations: object[] } }[] };
    expect([answer.status, details[0]?.debug.violations]).toMatchObject([400, [{ field }]]);
  });
});
