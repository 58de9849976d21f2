import { describe, expect, it } from 'vitest';
import { elements, members, parseJson } from '../../src/formats/json.js';
import { recordOf } from '../support/rest.js';
import { type BatchWorld, CLAUDE, GEMINI, request, startBatchWorld } from './world.js';

const NAME = '2/github:create issue';
const TOOLS = [
  { type: 'function', function: { name: NAME, parameters: { type: 'object', properties: {} } } },
];

async function startStored(): Promise<BatchWorld> {
  const world = await startBatchWorld();
  await world.store();
  return world;
}

/** The staged requests by position. */
function stagedRequests({ google }: BatchWorld) {
  const objects = [...google.storage.buckets.values()].flatMap((bucket) => [...bucket.objects]);
  const [, content] = objects.find(([name]) => name.endsWith('input.jsonl')) ?? [];
  const lines = (content?.toString() ?? '').trimEnd().split('\n');
  return lines.map((line) => members(members(parseJson(line)).request));
}

describe('the requests of a batch are made to fit as those of a chat', () => {
  it('members that the model refuses are left out, and legacy functions are tools', async () => {
    const world = await startStored();
    const functions = [{ name: 'look', parameters: { type: 'object', properties: {} } }];
    const requests = [
      request('a', 'Hello', { presence_penalty: 1, temperature: 0.5 }),
      request('b', 'Hello', { functions, function_call: 'auto' }),
    ];
    recordOf(await world.submit({ model: GEMINI, requests }));
    const [first, second] = stagedRequests(world);
    expect(first?.generationConfig).toEqual({ temperature: 0.5 });
    expect(second?.tools).toMatchObject([{ functionDeclarations: [{ name: 'look' }] }]);
  });

  it('one that can’t be made to fit is refused, naming the member and the rule', async () => {
    const world = await startStored();
    const image = { type: 'image_url', image_url: { url: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' } };
    const requests = [request('a', 'Hello', { messages: [{ role: 'user', content: [image] }] })];
    const { status, text } = await world.submit({ model: GEMINI, requests });
    expect(status).toBe(400);
    expect(text).toContain('messages[0].content[0]: Google Vertex AI takes no images of type image/gif');
  });

  it.each([
    [GEMINI, '_2_github_create_issue'],
    [CLAUDE, '2_github_create_issue'],
  ])(
    'names of tools are those of the model in the lines, and the client’s in the results: %s',
    async (model, sent) => {
      const world = await startStored();
      const { id } = recordOf(
        await world.submit({ model, requests: [request('a', 'Look', { tools: TOOLS }), request('b')] }),
      );
      expect(JSON.stringify(stagedRequests(world)[0])).toContain(`"${sent}"`);
      await world.ended(id);
      const results = await world.results(id);
      const calls = results.flatMap(({ response }) =>
        elements(members(members(response).body).choices).flatMap((choice) =>
          elements(members(members(choice).message).tool_calls).map(
            (call) => members(members(call).function).name,
          ),
        ),
      );
      expect(calls).toEqual([NAME]);
    },
  );
});
