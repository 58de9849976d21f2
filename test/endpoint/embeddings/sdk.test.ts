import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { MODEL, startEmbeddings } from './embeddings.fixture.js';

const TEXTS = ['Hello', 'Grüezi 👋🏽'];

describe.each(['honoured', 'ignored', 'refused'] as const)(
  "OpenAI's SDK over a host where base64 is %s",
  (base64) => {
    it('has the numbers of the vectors, whether it asks for base64, as it does by itself, or for numbers', async () => {
      const { gateway } = await startEmbeddings({ plans: [{ base64 }] });
      const { embeddings } = new OpenAI({ baseURL: gateway.rest, apiKey: gateway.apiKey });
      for (const encoding of [{}, { encoding_format: 'float' as const }]) {
        const { data, usage, object } = await embeddings.create({ model: MODEL, input: TEXTS, ...encoding });
        expect(data.map(({ embedding }) => embedding)).toEqual(TEXTS.map((text) => vectorOfInput(text)));
        expect([object, usage.total_tokens > 0]).toEqual(['list', true]);
      }
    });
  },
);

it("OpenAI's SDK throws its own errors, with the parameter", async () => {
  const { gateway } = await startEmbeddings();
  const { embeddings } = new OpenAI({ baseURL: gateway.rest, apiKey: gateway.apiKey, maxRetries: 0 });
  const refused = await embeddings.create({ model: MODEL, input: '' }).catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
  expect(refused).toMatchObject({ status: 400, param: 'input', type: 'invalid_request_error' });
  const unknown = await embeddings
    .create({ model: 'no/such', input: 'a' })
    .catch((thrown: unknown) => thrown);
  expect(unknown).toMatchObject({ status: 400, param: 'model' });
});
