import { describe, expect, it } from 'vitest';
import { readRerank } from '../../../src/formats/rerank/reader.js';
import { requestSize } from '../../../src/routing/estimate/request-size.js';
import { expectSettled, keyRecord } from '../../support/money.js';
import { CAPACITIES } from '../../support/providers.js';
import { bodyOf, type Row, recordOf, refusalOf } from '../../support/rest.js';
import {
  DOCUMENTS,
  MODEL,
  QUERY,
  recordIn,
  SEARCH_PRICE,
  startRerank,
  TOKEN_PRICE,
} from './rerank.fixture.js';

const BY_TOKEN = { prompt: TOKEN_PRICE.toFixed(9), completion: '0' };

const sizeOf = (body: object) => {
  const { chat, ...native } = readRerank({ model: MODEL, query: QUERY, documents: DOCUMENTS, ...body });
  return requestSize(chat, { native });
};

const many = (count: number, text = 'short') => Array.from({ length: count }, () => text);

/** The query and every document, as the fakes count them. */
const TOKENS = DOCUMENTS.reduce((sum, text) => sum + QUERY.length + text.length, 0);

describe('where a search has a price', () => {
  it.each(CAPACITIES)('each search unit that the host bills costs it, over %s', async (capacity) => {
    const started = await startRerank({ capacity });
    const isByok = capacity === 'BYOK keys';
    const body = bodyOf(await started.rerank({ documents: many(250), top_n: 1 }));
    const price = 3 * SEARCH_PRICE;
    expect(body.usage).toMatchObject({
      search_units: 3,
      is_byok: isByok,
      cost: isByok ? 0 : price,
      cost_details: { upstream_inference_cost: isByok ? price : null },
    });
    const { lines } = recordOf(
      await started.gateway.use('GET', `/generation/receipt?id=${String(body.id)}`),
    ) as { lines: Row[] };
    expect(lines.find(({ kind }) => kind === 'request')).toMatchObject({
      quantity: 3,
      amount_usd: String(price),
    });
    await expectSettled(started.gateway);
  });

  it('a host that counts none is billed for one for each 100 documents, and for pieces of long ones', async () => {
    const started = await startRerank({ plans: [{ usage: { meta: {} } }] });
    const short = bodyOf(await started.rerank({ documents: many(101), top_n: 1 }));
    expect(short.usage).toMatchObject({ search_units: 2, cost: 2 * SEARCH_PRICE });
    expect(await recordIn(started, short)).toMatchObject({ counted_by: 'estimate' });
    // 2,000 tokens each, of which some 490 are read at a time.
    const long = bodyOf(await started.rerank({ documents: many(100, 'a'.repeat(8_000)), top_n: 1 }));
    expect(long.usage).toMatchObject({ search_units: 5 });
  });

  it('those that it counts in its usage cost it', async () => {
    const usage = { meta: undefined, usage: { search_units: 2, total_tokens: 150 } };
    const started = await startRerank({ plans: [{ usage }] });
    const body = bodyOf(await started.rerank());
    expect(body.usage).toMatchObject({ search_units: 2, total_tokens: 150, cost: 2 * SEARCH_PRICE });
    expect(await recordIn(started, body)).toMatchObject({ counted_by: 'provider' });
  });

  it('the most that it may bill is reserved: every byte may be a token', () => {
    expect(sizeOf({}).searchUnits).toBe(1);
    expect(sizeOf({ documents: many(1_000) }).searchUnits).toBe(10);
    expect(sizeOf({ documents: many(100, 'a'.repeat(2_000)) }).searchUnits).toBeGreaterThanOrEqual(4);
  });

  it('a count that is impossible is not believed', async () => {
    const usage = { meta: { billed_units: { search_units: 1e9 } } };
    const started = await startRerank({ plans: [{ usage }] });
    const body = bodyOf(await started.rerank());
    expect(body.usage).toMatchObject({ search_units: 1, cost: SEARCH_PRICE });
    expect(await recordIn(started, body)).toMatchObject({ counted_by: 'estimate' });
  });
});

describe('where tokens have a price', () => {
  it.each(['jina', 'voyage', 'vllm'] as const)('those that %s counts cost it', async (form) => {
    const started = await startRerank({ slug: form, plans: [{ form }], pricing: BY_TOKEN });
    const body = bodyOf(await started.rerank({ top_n: 1 }));
    const cost = Number((TOKENS * TOKEN_PRICE).toFixed(9));
    expect(body.usage).toMatchObject({ prompt_tokens: TOKENS, total_tokens: TOKENS, cost });
    expect(await recordIn(started, body)).toMatchObject({
      tokens_prompt: TOKENS,
      tokens_completion: 0,
      counted_by: 'provider',
    });
    await expectSettled(started.gateway);
  });

  it.each<[string, object, number]>([
    [
      'of a host that leaves those of the prompt at 0',
      { usage: { prompt_tokens: 0, total_tokens: 815 } },
      815,
    ],
    ['in the words of Cohere', { usage: undefined, meta: { tokens: { input_tokens: 77 } } }, 77],
    [
      'beside search units that are 0',
      { usage: undefined, meta: { billed_units: { input_tokens: 66, search_units: 0 } } },
      66,
    ],
  ])('the count %s is read', async (_, usage, tokens) => {
    const started = await startRerank({ plans: [{ form: 'vllm', usage }], pricing: BY_TOKEN });
    const body = bodyOf(await started.rerank());
    expect(body.usage).toMatchObject({ total_tokens: tokens });
    expect(await recordIn(started, body)).toMatchObject({ counted_by: 'provider' });
  });

  it('a host that counts none is billed for a token for each four characters, the query with every document', async () => {
    const started = await startRerank({
      plans: [{ form: 'vllm', usage: { usage: null } }],
      pricing: BY_TOKEN,
    });
    const query = Math.ceil(QUERY.length / 4);
    const tokens = DOCUMENTS.reduce((sum, text) => sum + query + Math.ceil(text.length / 4), 0);
    expect(bodyOf(await started.rerank()).usage).toMatchObject({ total_tokens: tokens });
  });

  it('more is reserved than a host can count that reads the query with every piece of every document', () => {
    const documents = many(50, 'word '.repeat(500));
    const { promptTokens, maxTokens } = sizeOf({ documents });
    expect(promptTokens).toBeGreaterThan(50 * 2_500 + 50 * 5 * QUERY.length);
    expect(maxTokens).toBe(0);
  });
});

it('documents longer than the context are for hosts to cut; a query that is longer is refused', async () => {
  const started = await startRerank();
  const long = await started.rerank({ documents: ['a'.repeat(80_000), 'b'] });
  expect(long.status).toBe(200);
  const refused = await started.rerank({ query: 'a'.repeat(80_000) });
  expect([...refusalOf(refused), (bodyOf(refused).error as Row).param]).toEqual([
    400,
    'context_length_exceeded',
    'documents',
  ]);
});

it('has limits as chats have: a spent key is refused in their words, and nothing is sent', async () => {
  const started = await startRerank();
  const { hash } = await keyRecord(started.gateway);
  await started.gateway.manage('PATCH', `/keys/${String(hash)}`, { limit: 0 });
  expect(refusalOf(await started.rerank())).toEqual([403, 'key_limit_exceeded']);
  expect(started.hosts[0]?.calls).toEqual([]);
});
