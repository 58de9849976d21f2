import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, caller, recordOf, refusalOf, rowsOf } from '../../support/rest.js';

const returning = (...output: string[]) => ({
  architecture: { modality: null, input_modalities: ['text'], output_modalities: output },
});

let gateway: Awaited<ReturnType<typeof launchGateway>>;
beforeAll(async () => {
  gateway = await launchGateway({
    catalog: {
      providers: [demoProvider('a'), demoProvider('b', { data_policy: { zdr: false } })],
      models: [
        demoModel('test/text', ['a', 'b'], { created: 3 }),
        demoModel('test/images', ['b'], { created: 2, ...returning('text', 'image') }),
        demoModel('test/speaks', ['a'], { created: 1, ...returning('text', 'audio') }),
      ],
    },
  });
});
afterAll(() => gateway.stop());

const ids = (answer: Parameters<typeof rowsOf>[0]) => rowsOf(answer).map(({ id }) => id);

describe.each(['/models', '/models/user'])('output_modalities of %s', (path) => {
  it('leaves the models that return one of them, in the order of the list', async () => {
    const use = caller(gateway, gateway.apiKey);
    expect(ids(await use('GET', `${path}?output_modalities=audio,image`))).toEqual([
      'test/images',
      'test/speaks',
    ]);
    expect(ids(await use('GET', `${path}?output_modalities=video`))).toEqual([]);
  });

  it.each(['', '?output_modalities=', '?output_modalities=all', '?output_modalities=image,all'])(
    'leaves every model with "%s"',
    async (query) => expect(ids(await caller(gateway, gateway.apiKey)('GET', path + query))).toHaveLength(3),
  );

  it('goes on to the next page', async () => {
    const use = caller(gateway, gateway.apiKey);
    const answer = await use('GET', `${path}?output_modalities=audio,image&limit=1`);
    const { total_count, links } = bodyOf(answer) as { total_count: number; links: { next: string } };
    expect(total_count).toBe(2);
    const next = new URL(links.next);
    expect(ids(await use('GET', next.pathname.replace('/api/v1', '') + next.search))).toEqual([
      'test/speaks',
    ]);
  });

  it('is 400 for what no model returns', async () => {
    const answer = await caller(gateway, gateway.apiKey)('GET', `${path}?output_modalities=text,smell`);
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'output_modalities in']);
  });
});

it('GET /models/count counts what GET /models lists', async () => {
  const use = caller(gateway, gateway.apiKey);
  expect(recordOf(await use('GET', '/models/count'))).toEqual({ count: 3 });
  expect(recordOf(await use('GET', '/models/count?output_modalities=image'))).toEqual({ count: 1 });
});

it('GET /endpoints/zdr lists the endpoints that retain nothing, of each model', async () => {
  const listed = rowsOf(await caller(gateway, gateway.apiKey)('GET', '/endpoints/zdr'));
  expect(listed.map(({ model_id, provider }) => [model_id, provider])).toEqual([
    ['test/text', 'a'],
    ['test/speaks', 'a'],
  ]);
});
