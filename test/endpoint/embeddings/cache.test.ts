import { expect, it } from 'vitest';
import { vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { bodyOf } from '../../support/rest.js';
import { recordIn, startEmbeddings, vectorsIn } from './embeddings.fixture.js';

const cache = { ttl: 60 };
const input = ['Hello', 'Grüezi'];
const OTHER = { provider: { allow_fallbacks: false } };

it.each(['float', 'base64'])(
  'the same request in %s is answered from the cache, for nothing',
  async (encoding_format) => {
    const started = await startEmbeddings();
    const first = await started.embed({ input, encoding_format, cache });
    const again = await started.embed({ input, encoding_format, cache });
    expect([first, again].map(({ headers }) => headers['x-byway-cache'])).toEqual(['miss', 'hit']);
    expect(vectorsIn(bodyOf(again))).toEqual(vectorsIn(bodyOf(first)));
    expect(bodyOf(again).usage).toMatchObject({ cost: 0, cached: true, total_tokens: 11 });
    expect(started.hosts[0]?.calls.map(({ body }) => body)).toEqual([
      { model: 'embed-1', input, encoding_format: 'float' },
    ]);
    expect(await recordIn(started, bodyOf(again))).toMatchObject({ cached: true, provider: null, usage: 0 });
  },
);

it('numbers come back as they were, and other inputs, dimensions or encodings are other requests', async () => {
  const { embed, hosts } = await startEmbeddings({
    plans: [{ data: (all) => all.map((one) => ({ ...one, embedding: [0.1, -1e-12, 1 / 3] })) }],
  });
  await embed({ input, cache });
  expect(vectorsIn(bodyOf(await embed({ input, cache })))).toEqual(input.map(() => [0.1, -1e-12, 1 / 3]));
  for (const other of [{ input: ['Hello'] }, { dimensions: 2 }, { encoding_format: 'base64' }, OTHER]) {
    expect((await embed({ input, cache, ...other })).headers['x-byway-cache']).toBe('miss');
  }
  expect(hosts[0]?.calls).toHaveLength(5);
});

it('what is too long is not kept, and nothing is looked for where nobody asks', async () => {
  const { embed } = await startEmbeddings();
  const long = { input: Array.from({ length: 40 }, (_, at) => `input ${at}`), dimensions: 2_000, cache };
  await embed(long);
  expect((await embed(long)).headers['x-byway-cache']).toBe('miss');
  const plain = await embed({ input });
  expect(plain.headers['x-byway-cache']).toBeUndefined();
  expect(vectorsIn(bodyOf(plain))).toEqual(input.map((text) => vectorOfInput(text)));
});
