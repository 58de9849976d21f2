import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, refusalOf, send } from '../../support/rest.js';

const CREATED = 1_750_000_000;

/** Five models, the newest first, and an alias of one. */
const CATALOG = {
  providers: [demoProvider('a')],
  models: [
    ...[1, 2, 3, 4, 5].map((n) =>
      demoModel(`anthropic/claude-${n}.0`, ['a'], { created: CREATED - n, name: `Claude ${n}` }),
    ),
    { id: '~anthropic/latest', name: 'Claude (latest)', alias_target: { slug: 'anthropic/claude-5.0' } },
  ],
};

let gateway: Awaited<ReturnType<typeof launchGateway>>;
beforeAll(async () => {
  gateway = await launchGateway({ catalog: CATALOG });
});
afterAll(() => gateway.stop());

const anthropic = () => new Anthropic({ baseURL: `${gateway.url}/api`, apiKey: gateway.apiKey });
const openai = () => new OpenAI({ baseURL: gateway.rest, apiKey: gateway.apiKey });

function list(
  query: string,
  headers: Readonly<Record<string, string>> = { 'anthropic-version': '2023-06-01' },
) {
  return send(`${gateway.rest}/models${query}`, 'GET', { headers });
}

const idsOf = (body: ReturnType<typeof bodyOf>) => (body.data as { id: string }[]).map(({ id }) => id);

describe("Anthropic's SDK", () => {
  it('lists all models, page by page', async () => {
    const page = await anthropic().models.list({ limit: 4 });
    expect(page.data.map(({ id }) => id)).toEqual([1, 2, 3, 4].map((n) => `anthropic/claude-${n}.0`));
    expect(page.has_more).toBe(true);
    const all: Anthropic.ModelInfo[] = [];
    for await (const model of anthropic().models.list({ limit: 4 })) all.push(model);
    expect(all).toHaveLength(6);
    expect(all[0]).toMatchObject({
      type: 'model',
      id: 'anthropic/claude-1.0',
      display_name: 'Claude 1',
      created_at: new Date((CREATED - 1) * 1000).toISOString(),
      max_input_tokens: 8192,
    });
  });

  it('reads one model by its id, and by the name that Anthropic gives it', async () => {
    const model = await anthropic().models.retrieve('anthropic/claude-3.0');
    expect(model).toMatchObject({ type: 'model', id: 'anthropic/claude-3.0', display_name: 'Claude 3' });
    expect(await anthropic().models.retrieve('claude-3-0')).toEqual(model);
    await expect(anthropic().models.retrieve('claude-9')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  });
});

describe("OpenAI's SDK", () => {
  it('lists all models, and reads one', async () => {
    const all: OpenAI.Model[] = [];
    for await (const model of openai().models.list()) all.push(model);
    expect(all).toHaveLength(6);
    const expected = {
      id: 'anthropic/claude-2.0',
      object: 'model',
      created: CREATED - 2,
      owned_by: 'anthropic',
    };
    expect(all[1]).toMatchObject(expected);
    expect(await openai().models.retrieve('anthropic/claude-2.0')).toMatchObject(expected);
    expect(await openai().models.retrieve('~anthropic/latest')).toMatchObject({ owned_by: 'anthropic' });
    await expect(openai().models.retrieve('gpt-9')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

describe('a list for clients of Anthropic', () => {
  it('is 20 models where no limit is given', async () => {
    const { data, has_more, first_id, last_id, object } = bodyOf(await list(''));
    expect(data).toHaveLength(6);
    expect([has_more, first_id, object]).toEqual([false, 'anthropic/claude-1.0', 'list']);
    expect(last_id).toBe(idsOf(bodyOf(await list(''))).at(-1));
  });

  it('goes forward and back from any of its models', async () => {
    const after = bodyOf(await list('?limit=2&after_id=anthropic%2Fclaude-1.0'));
    expect(idsOf(after)).toEqual(['anthropic/claude-2.0', 'anthropic/claude-3.0']);
    expect(after).toMatchObject({
      has_more: true,
      first_id: 'anthropic/claude-2.0',
      last_id: 'anthropic/claude-3.0',
    });
    const before = bodyOf(await list('?limit=2&before_id=anthropic/claude-4.0'));
    expect(idsOf(before)).toEqual(['anthropic/claude-2.0', 'anthropic/claude-3.0']);
    expect(before.has_more).toBe(true);
    const first = bodyOf(await list('?limit=3&before_id=anthropic/claude-3.0'));
    expect([idsOf(first), first.has_more]).toEqual([['anthropic/claude-1.0', 'anthropic/claude-2.0'], false]);
    const none = bodyOf(await list('?before_id=anthropic/claude-1.0'));
    expect(none).toMatchObject({ data: [], has_more: false });
    expect(none).not.toHaveProperty('first_id');
  });

  it.each([
    ['?after_id=anthropic/none', 'after_id', 'known'],
    ['?before_id=none', 'before_id', 'known'],
    ['?after_id=anthropic/claude-1.0&before_id=anthropic/claude-3.0', 'before_id', 'conflict'],
    ['?limit=1001', 'limit', 'range'],
    ['?limit=0', 'limit', 'range'],
    [`?after_id=${'x'.repeat(256)}`, 'after_id', 'length'],
  ])('refuses %.40s', async (query, field, rule) => {
    const answer = await list(query);
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', `${field} ${rule}`]);
  });

  it('is not modified for who has it, and never mistaken for the usual one', async () => {
    const mine = await list('');
    const usual = await list('', {});
    expect(mine.headers.etag).not.toBe(usual.headers.etag);
    const again = { 'anthropic-version': '2023-06-01', 'if-none-match': String(mine.headers.etag) };
    expect((await list('', again)).status).toBe(304);
    expect((await list('', { 'if-none-match': String(mine.headers.etag) })).status).toBe(200);
  });

  it('has members of its own, which the usual one lacks', async () => {
    const usual = bodyOf(await list('', {}));
    expect(usual).not.toHaveProperty('has_more');
    expect((usual.data as object[])[0]).not.toHaveProperty('display_name');
    expect((usual.data as object[])[0]).toMatchObject({ object: 'model', owned_by: 'anthropic' });
  });
});

it.each([
  '/api/v1/models/anthropic/claude-3.0',
  '/api/v1/models/anthropic%2Fclaude-3.0',
  '/v1/models/anthropic/claude-3.0',
  '/v1/models/anthropic%2Fclaude-3.0',
])("%s is what OpenAI's and Anthropic's SDKs read of one model", async (path) => {
  expect(bodyOf(await send(gateway.url + path, 'GET'))).toMatchObject({
    id: 'anthropic/claude-3.0',
    object: 'model',
    created: CREATED - 3,
    owned_by: 'anthropic',
    type: 'model',
    display_name: 'Claude 3',
  });
});

it('/model/AUTHOR/SLUG is /models/AUTHOR/SLUG, with any base', async () => {
  const whole = await send(`${gateway.rest}/models/anthropic/claude-3.0`, 'GET');
  for (const base of ['/api/v1', '/v1', '/v1/v1']) {
    const answer = await send(`${gateway.url}${base}/model/anthropic/claude-3.0?x=1`, 'GET');
    expect(bodyOf(answer), base).toEqual(bodyOf(whole));
  }
  expect(refusalOf(await send(`${gateway.rest}/model/anthropic`, 'GET'))).toEqual([404, 'unknown_path']);
});

it('one model has the record that lists show, and beside it what SDKs of others read', async () => {
  const listed = (bodyOf(await list('', {})).data as object[])[2];
  const answer = await send(`${gateway.rest}/models/anthropic/claude-3.0`, 'GET');
  const description = bodyOf(await send(`${gateway.rest}/models/anthropic%2Fclaude-3.0`, 'GET'));
  expect(bodyOf(answer)).toEqual({ data: listed, ...description });
  expect(description).toMatchObject({ id: 'anthropic/claude-3.0', object: 'model', owned_by: 'anthropic' });
  const missing = await send(`${gateway.rest}/models/anthropic/claude-9`, 'GET');
  expect(refusalOf(missing)).toEqual([404, 'not_found']);
});
