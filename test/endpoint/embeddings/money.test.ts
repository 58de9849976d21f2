import { describe, expect, it } from 'vitest';
import { readEmbeddings } from '../../../src/formats/embeddings/reader.js';
import { requestSize } from '../../../src/routing/estimate/request-size.js';
import { EMBEDDING_KEY } from '../../support/fakes/fake-embedding-host.js';
import { expectSettled, keyRecord } from '../../support/money.js';
import { addKey, CAPACITIES } from '../../support/providers.js';
import { bodyOf, type Row, recordOf, refusalOf } from '../../support/rest.js';
import { MODEL, PRICE, recordIn, startEmbeddings, vectorsIn } from './embeddings.fixture.js';

function usd(tokens: number, price = PRICE): number {
  return Number((tokens * price).toFixed(9));
}

const sizeOf = (body: object) => {
  const { chat, ...native } = readEmbeddings({ model: MODEL, input: 'Hello', ...body });
  return requestSize(chat, { native });
};

/** Lists of this many tokens. */
const tokens = (count: number, inputs = 1) =>
  Array.from({ length: inputs }, () => Array.from({ length: count }, (_, at) => at));

describe('the money of embeddings', () => {
  it.each(CAPACITIES)('is that of the prompt alone, over %s', async (capacity) => {
    const started = await startEmbeddings({ capacity });
    const isByok = capacity === 'BYOK keys';
    const body = bodyOf(await started.embed({ input: ['abc', 'defg'] }));
    expect(body.usage).toMatchObject({
      is_byok: isByok,
      cost: isByok ? 0 : usd(7),
      cost_details: {
        upstream_inference_cost: isByok ? usd(7) : null,
        upstream_inference_prompt_cost: usd(7),
        upstream_inference_completions_cost: 0,
      },
    });
    const receipt = await started.gateway.use('GET', `/generation/receipt?id=${String(body.id)}`);
    expect(receipt.status).toBe(200);
    await expectSettled(started.gateway);
  });

  it('is reserved for the prompts alone, all of them, and for tokens by their number', () => {
    const one = sizeOf({ input: 'word '.repeat(100) });
    const many = sizeOf({ input: Array.from({ length: 50 }, () => 'word '.repeat(100)) });
    expect([one.prompts, many.prompts, one.maxTokens]).toEqual([1, 50, 0]);
    expect(one.promptTokens).toBeGreaterThanOrEqual(500);
    expect(many.promptTokens).toBe(50 * one.promptTokens);
    expect(sizeOf({ input: tokens(1_000)[0] }).promptTokens).toBe(2_000);
    expect(sizeOf({ input: tokens(1_000, 3) }).promptTokens).toBe(6_000);
  });

  it('a context bounds each input, not their sum: many go through, one that is too long does not', async () => {
    const started = await startEmbeddings();
    const answer = await started.embed({ input: Array.from({ length: 50 }, () => 'a'.repeat(4_000)) });
    expect([answer.status, (bodyOf(answer).usage as Row).prompt_tokens]).toEqual([200, 200_000]);
    const long = await started.embed({ input: 'a'.repeat(80_000) });
    expect(refusalOf(long)).toEqual([400, 'context_length_exceeded']);
  });

  it('counts of the host that are impossible are not believed', async () => {
    const usage = { prompt_tokens: 9_000_000_000, total_tokens: 1 };
    const started = await startEmbeddings({ plans: [{ usage }] });
    const body = bodyOf(await started.embed({ input: ['12345678', '1234'] }));
    expect(body.usage).toMatchObject({ prompt_tokens: 3, total_tokens: 3, cost: usd(3) });
    expect(await recordIn(started, body)).toMatchObject({ counted_by: 'estimate' });
  });

  it('has limits as chats have: a spent key is refused in their words, and nothing is sent', async () => {
    const started = await startEmbeddings();
    const { hash } = await keyRecord(started.gateway);
    await started.gateway.manage('PATCH', `/keys/${String(hash)}`, { limit: 0 });
    expect(refusalOf(await started.embed())).toEqual([403, 'key_limit_exceeded']);
    expect(started.hosts[0]?.calls).toEqual([]);
  });

  it('is told in advance by the explanation of the route', async () => {
    const { gateway } = await startEmbeddings({ plans: [{}, {}] });
    const sent = { format: 'embeddings', model: MODEL, input: ['a', 'b'] };
    const { attempts } = recordOf(await gateway.use('POST', '/routing/explain', sent)) as { attempts: Row[] };
    expect(attempts.map(({ provider, lane }) => ({ provider, lane }))).toEqual([
      { provider: 'host', lane: 'native' },
      { provider: 'host-1', lane: 'native' },
    ]);
  });
});

describe('where one fails', () => {
  it('the next endpoint of the model serves, at its own price', async () => {
    const started = await startEmbeddings({ plans: [{ status: () => 500 }, {}] });
    const body = bodyOf(await started.embed({ input: 'abcd' }));
    expect(body).toMatchObject({ provider: 'host-1', usage: { cost: usd(4, 2 * PRICE) } });
  });

  it('a key that is rate limited gives way to the next of the same provider', async () => {
    const second = 'sk-fake-embeddings-of-the-second-key';
    const status = (_: unknown, key: string) => (key === EMBEDDING_KEY ? 429 : undefined);
    const started = await startEmbeddings({ capacity: 'BYOK keys', plans: [{ status }] });
    await addKey(started.gateway, 'host', second);
    const body = bodyOf(await started.embed());
    expect(vectorsIn(body)).toHaveLength(1);
    expect(started.hosts[0]?.calls.map(({ key }) => key)).toEqual([EMBEDDING_KEY, second]);
  });
});

describe('a host that takes fewer inputs in a call', () => {
  /** Alibaba takes 10. */
  const input = Array.from({ length: 95 }, (_, index) => `input ${index}`);

  it('is called in parts, at most 8 at a time, whose answers are in order and whose costs are summed', async () => {
    const plan = { maxInputs: 10, delayMs: (part: readonly unknown[]) => (part[0] === 'input 0' ? 80 : 15) };
    const started = await startEmbeddings({ slug: 'alibaba', plans: [plan] });
    const body = bodyOf(await started.embed({ input }));
    const alone = await startEmbeddings();
    expect(vectorsIn(body)).toEqual(vectorsIn(bodyOf(await alone.embed({ input }))));
    const [host] = started.hosts;
    expect(host?.calls).toHaveLength(10);
    expect(host?.most()).toBeGreaterThan(1);
    expect(host?.most()).toBeLessThanOrEqual(8);
    const characters = input.join('').length;
    expect(body.usage).toMatchObject({ prompt_tokens: characters, cost: usd(characters) });
  });

  it('fails with one part, charges nothing for it, and the next endpoint gets all of them', async () => {
    const status = (part: readonly unknown[]) => (part.includes('input 77') ? 500 : undefined);
    const started = await startEmbeddings({ slug: 'alibaba', plans: [{ maxInputs: 10, status }, {}] });
    const body = bodyOf(await started.embed({ input }));
    expect([body.provider, vectorsIn(body).length]).toEqual(['alibaba-1', 95]);
    expect(body.usage).toMatchObject({ cost: usd(input.join('').length, 2 * PRICE) });
    await expectSettled(started.gateway);
  });

  it('has its usage estimated where one part tells none', async () => {
    const started = await startEmbeddings({ slug: 'alibaba', plans: [{ maxInputs: 10, usage: null }] });
    expect(await recordIn(started, bodyOf(await started.embed({ input })))).toMatchObject({
      counted_by: 'estimate',
    });
  });
});
