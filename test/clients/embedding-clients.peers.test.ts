import { describe, expect, it } from 'vitest';
import { startEmbeddings } from '../endpoint/embeddings/embeddings.fixture.js';
import { vectorOfInput } from '../support/fakes/fake-embedding-host.js';
import { EMBEDDING_CLIENTS, LANGCHAIN, RESPONSES_CLIENTS } from './embedding-clients.js';

const TEXTS = Array.from({ length: 120 }, (_, index) => `text ${index}`);
const MODEL = 'test/embed';

describe.runIf(RESPONSES_CLIENTS !== '' && LANGCHAIN !== '')('with its defaults', () => {
  describe.each(Object.entries(EMBEDDING_CLIENTS))('%s', (_, embed) => {
    it.each(['honoured', 'ignored', 'refused'] as const)(
      'has the vectors of all texts in their order, where base64 is %s',
      async (base64) => {
        const { gateway } = await startEmbeddings({ plans: [{ base64, maxInputs: 10 }], slug: 'alibaba' });
        const { rest, apiKey } = gateway;
        const vectors = await embed({ rest, apiKey, model: MODEL }, TEXTS);
        expect(vectors).toEqual(TEXTS.map((text) => vectorOfInput(text)));
      },
    );
  });
});
