import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import type { Row } from '../../support/rest.js';
import { RESULTS, THOUGHT, wireFormatOf } from '../platforms/wire-formats.js';
import { speaksResponses } from './places.js';

type Item = OpenAI.Responses.ResponseInputItem;
type Answer = OpenAI.Responses.Response;

let gateway: PlatformsGateway;
let client: OpenAI;

beforeAll(async () => {
  const reasoning = { mandatory: false, supports_max_tokens: false };
  gateway = await launchPlatforms([
    {
      name: 'm',
      upstreamId: (platform) => wireFormatOf(platform).model,
      overrides: () => ({ reasoning }),
      // Where Responses is spoken nothing would be translated.
      endpoint: (platform) => (speaksResponses(platform) ? { formats: ['chat'] } : {}),
    },
  ]);
  client = new OpenAI({ baseURL: gateway.rest, apiKey: gateway.apiKey, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const TOLD: Item = { role: 'system', content: 'Be brief' };

const ASKED = {
  role: 'user',
  content: [
    { type: 'input_text', text: 'The weather there?' },
    { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
  ],
} as Item;

const TOOL: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};

async function ask({ slug }: Platform, input: readonly Item[], isStreamed: boolean): Promise<Answer> {
  const request = {
    model: `${slug}/m`,
    max_output_tokens: 4096,
    input: [TOLD, ...input],
    tools: [TOOL],
    reasoning: { effort: 'low' as const, summary: 'auto' as const },
    include: ['reasoning.encrypted_content' as const],
    store: false,
  };
  return isStreamed ? client.responses.stream(request).finalResponse() : client.responses.create(request);
}

function callsIn({ output }: Answer): OpenAI.Responses.ResponseFunctionToolCall[] {
  return output.filter((item) => item.type === 'function_call');
}

/** The answer as the client sends it back, and the results of its calls, the last first. */
function answered(answer: Answer): Item[] {
  const results = callsIn(answer).map(({ call_id }, index): Item => {
    return { type: 'function_call_output', call_id, output: RESULTS[index] ?? 'Sun' };
  });
  return [...(answer.output as Item[]), ...results.toReversed()];
}

/** The body of the latest request that the platform's provider received. */
function latest(platform: Platform): Row {
  return { ...(gateway.received(platform)[0] as Row) };
}

describe.each([
  ['in one piece', false],
  ['streamed', true],
])('the same conversation of OpenAI’s client at every platform, %s', (_, isStreamed) => {
  it.each(PLATFORMS)(
    '$slug: image, reasoning, parallel calls, and their results in the next turn',
    async (platform) => {
      const { request, followed, calling } = wireFormatOf(platform);
      gateway.plan(platform, 'm', calling);
      const first = await ask(platform, [ASKED], isStreamed);
      expect(latest(platform)).toMatchObject(request);
      expect(first).toMatchObject({
        id: expect.stringMatching(/^resp_gen-/),
        model: `${platform.slug}/m`,
        status: 'completed',
      });
      const calls = callsIn(first);
      expect(calls.map(({ name, arguments: given }) => [name, JSON.parse(given)])).toEqual([
        ['weather', { city: 'Zürich' }],
        ['weather', { city: 'Zürich' }],
      ]);
      const [reasoning] = first.output;
      const { content = [], summary } = reasoning as OpenAI.Responses.ResponseReasoningItem;
      expect([...content, ...summary].map(({ text }) => text).join('')).toBe(THOUGHT);

      gateway.plan(platform, 'm', {});
      const second = await ask(platform, [ASKED, ...answered(first)], isStreamed);
      followed(
        calls.map(({ call_id }) => call_id),
        latest(platform),
      );
      expect(second.status).toBe('completed');
      expect(second.output_text).toBe('Grüezi mitenand 👋🏽!');
      expect(second.usage?.output_tokens).toBeGreaterThan(0);
    },
  );
});

describe('a conversation that goes on at another provider', () => {
  it('takes reasoning and calls of every platform to any other, and no mark to any provider', async () => {
    const first = new Map<string, Answer>();
    for (const platform of PLATFORMS) {
      gateway.plan(platform, 'm', wireFormatOf(platform).calling);
      first.set(platform.slug, await ask(platform, [ASKED], false));
      gateway.plan(platform, 'm', {});
    }
    expect(JSON.stringify([...first.values()])).toContain('"bw2.');
    for (const platform of PLATFORMS) {
      for (const [from, answer] of first) {
        const { status } = await ask(platform, [ASKED, ...answered(answer)], false);
        expect([from, platform.slug, status]).toEqual([from, platform.slug, 'completed']);
      }
      expect(JSON.stringify(gateway.received(platform))).not.toContain('bw2.');
    }
  });
});
