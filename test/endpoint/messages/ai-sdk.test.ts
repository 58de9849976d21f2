import { createAnthropic } from '@ai-sdk/anthropic';
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { THOUGHT, wireFormatOf } from '../platforms/wire-formats.js';

/** Served as it is, and translated to two formats. */
const CHOSEN = PLATFORMS.filter(({ slug }) => ['anthropic', 'openai', 'vertex-gemini'].includes(slug));
const CONTENT = 'Grüezi mitenand 👋🏽!';

let gateway: PlatformsGateway;

beforeAll(async () => {
  const reasoning = { mandatory: false, supports_max_tokens: false };
  const upstreamId = (platform: Platform) => wireFormatOf(platform).model;
  gateway = await launchPlatforms([{ name: 'm', upstreamId, overrides: () => ({ reasoning }) }]);
});
afterAll(() => gateway.stop());

const schema = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
});

function optionsFor({ slug }: Platform) {
  const provider = createAnthropic({ baseURL: `${gateway.rest}`, authToken: gateway.apiKey });
  return { model: provider(`${slug}/m`), maxRetries: 0, maxOutputTokens: 4096, prompt: 'The weather there?' };
}

/** Tools that the SDK itself calls, and what it took them for. */
function weather(cities: string[] = []) {
  const execute = async ({ city }: { city: string }) => {
    cities.push(city);
    return { degrees: 3 };
  };
  return { weather: tool({ description: 'The weather of a city', inputSchema: schema, execute }) };
}

const THINKING = { anthropic: { thinking: { type: 'adaptive' }, effort: 'low' } } as const;

describe.each(CHOSEN)('the AI SDK’s anthropic provider, unmodified, in front of $slug', (platform) => {
  it('thinks, calls a tool and goes on with its result, in one piece', async () => {
    gateway.plan(platform, 'm', { reasoning: ['Hm,', ' well'], thoughts: ['Hm,', ' well'] });
    const cities: string[] = [];
    const tools = weather(cities);
    const options = { ...optionsFor(platform), providerOptions: THINKING, stopWhen: stepCountIs(3) };
    const result = await generateText({ ...options, tools });
    expect(cities).toEqual(['Zürich']);
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(result.text).toBe(CONTENT);
    expect(result.steps[0]?.reasoningText).toBe(THOUGHT);
    expect(result.usage.outputTokens).toBeGreaterThan(0);
  });

  it('does the same streamed', async () => {
    gateway.plan(platform, 'm', { reasoning: ['Hm,', ' well'], thoughts: ['Hm,', ' well'] });
    const cities: string[] = [];
    const options = { ...optionsFor(platform), providerOptions: THINKING, stopWhen: stepCountIs(3) };
    const result = streamText({ ...options, tools: weather(cities) });
    const kinds = new Set<string>();
    for await (const part of result.fullStream) kinds.add(part.type);
    expect(kinds).not.toContain('error');
    expect([...kinds]).toEqual(
      expect.arrayContaining(['reasoning-delta', 'tool-call', 'text-delta', 'finish']),
    );
    expect([cities, await result.text]).toEqual([['Zürich'], CONTENT]);
  });

  it('gets an object in a schema', async () => {
    gateway.plan(platform, 'm', { words: ['{"city":', '"Zürich"', '}'] });
    const { output } = await generateText({ ...optionsFor(platform), output: Output.object({ schema }) });
    expect(output).toEqual({ city: 'Zürich' });
  });

  it('gets an error as one that can be tried again, or not', async () => {
    const failed = async (status: number) => {
      gateway.plan(platform, 'm', { status, body: { error: { message: 'Too bad', type: 'x' } } });
      return generateText(optionsFor(platform)).catch((thrown: unknown) => thrown);
    };
    const errors = [await failed(500), await failed(400)];
    expect(
      errors.map((error) => APICallError.isInstance(error) && [error.statusCode, error.isRetryable]),
    ).toEqual([
      [529, true],
      [400, false],
    ]);
  });
});
