import { expect, it } from 'vitest';
import { recordOf, refusalOf } from '../support/rest.js';
import { type BatchWorld, MANDATORY, REASONER, request, startBatchWorld } from './world.js';

async function startStored(): Promise<BatchWorld> {
  const world = await startBatchWorld();
  await world.store();
  return world;
}

/** The staged requests by position. */
function stagedRequests({ google }: BatchWorld): { generationConfig?: object }[] {
  const objects = [...google.storage.buckets.values()].flatMap((bucket) => [...bucket.objects]);
  const [, content] = objects.find(([name]) => name.endsWith('input.jsonl')) ?? [];
  const lines = (content?.toString() ?? '').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line).request);
}

it('each request reasons as it demands, in the format of its model', async () => {
  const world = await startStored();
  const demands = [
    { reasoning: { max_tokens: 512 } },
    { reasoning: { enabled: false } },
    { reasoning_effort: 'low', max_tokens: 5000 },
    {},
  ];
  const requests = demands.map((more, row) => request(`row ${row}`, 'Think', more));
  recordOf(await world.submit({ model: REASONER, requests }));
  const thinking = stagedRequests(world).map(({ generationConfig = {} }) => generationConfig);
  expect(thinking).toMatchObject([
    { thinkingConfig: { thinkingBudget: 512 } },
    { thinkingConfig: { thinkingBudget: 0 } },
    { thinkingConfig: { thinkingBudget: 1000 } },
    {},
  ]);
  expect(thinking[3]).not.toHaveProperty('thinkingConfig');
});

it('contradictory demands are refused as in a chat, with the position of the request', async () => {
  const world = await startStored();
  const requests = [
    request('a'),
    request('b', 'x', { reasoning: { max_tokens: 512, effort: 'low' } }),
    request('c', 'x', { reasoning_effort: 'gigantic' }),
    request('d', 'x', { reasoning: { exclude: true }, include_reasoning: true }),
  ];
  expect(refusalOf(await world.submit({ model: REASONER, requests }))).toEqual([
    400,
    'invalid_request',
    'requests[1].body.reasoning.max_tokens conflict',
    'requests[2].body.reasoning_effort enum',
    'requests[3].body.include_reasoning conflict',
  ]);
});

it('mandatory reasoning is not turned off', async () => {
  const world = await startStored();
  const requests = [request('a'), request('b', 'x', { reasoning: { enabled: false } })];
  expect(refusalOf(await world.submit({ model: MANDATORY, requests }))).toEqual([
    400,
    'invalid_request',
    'requests[1].body.reasoning.enabled mandatory',
  ]);
});

it('reasoning that is not requested is omitted from the results, and charged', async () => {
  const world = await startStored();
  const requests = [
    request('shown', 'x', { reasoning: { max_tokens: 512 } }),
    request('hidden', 'x', { reasoning: { max_tokens: 512, exclude: true } }),
  ];
  const { id } = recordOf(await world.submit({ model: REASONER, requests }));
  await world.ended(id);
  const rows = await world.results(id);
  const rowText = (name: string) => JSON.stringify(rows.find(({ custom_id }) => custom_id === name));
  expect(rowText('shown')).toContain('Hm, well');
  expect(rowText('hidden')).not.toContain('Hm, well');
  expect(rowText('hidden')).toContain('"reasoning_tokens"');
});
