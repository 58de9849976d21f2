import type { JsonObject } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { CASES, eventViolations, responseViolations } from './open-responses.js';

/** A platform, and whether it speaks the format itself. */
interface Place {
  readonly platform: Platform;
  readonly lane: 'native' | 'translated';
}

const SPEAKING = new Set(['openai', 'azure']);

const PLACES: readonly Place[] = PLATFORMS.flatMap((platform): Place[] => [
  { platform, lane: 'translated' },
  ...(SPEAKING.has(platform.adapter) ? [{ platform, lane: 'native' as const }] : []),
]);

describe('the acceptance cases of Open Responses', () => {
  let gateway: PlatformsGateway;
  beforeAll(async () => {
    const speaks = (formats: readonly string[]) => ({
      endpoint: ({ adapter }: Platform) => (SPEAKING.has(adapter) ? { formats } : {}),
      upstreamId: ({ slug, family }: Platform) =>
        slug === 'bedrock-signed'
          ? `us.anthropic.claude-sonnet-4-6-${formats[0]}`
          : `${family}${slug}-${formats[0]}`,
      overrides: () => ({ context_length: 400_000 }),
    });
    gateway = await launchPlatforms([
      { name: 'translated', ...speaks(['chat']) },
      { name: 'native', ...speaks(['responses']) },
    ]);
  });
  afterAll(() => gateway?.stop());

  for (const { platform, lane } of PLACES) {
    it.each(CASES)(`$id passes at ${platform.slug}, ${lane}`, async ({ body, item }) => {
      const asked = { model: `${platform.slug}/${lane}`, ...body };
      const isStreamed = 'stream' in body;
      const { status, text } = await gateway.use('POST', '/responses', asked);
      expect([status, status === 200 || text]).toEqual([200, true]);
      const events = isStreamed ? eventsIn(text) : [];
      expect(eventViolations(events)).toEqual([]);
      const response: JsonObject = isStreamed
        ? (events.at(-1)?.[1].response as JsonObject)
        : JSON.parse(text);
      expect(responseViolations(response)).toEqual([]);
      expect(response).toMatchObject({ status: 'completed', error: null });
      expect(response.output).toEqual(expect.arrayContaining([expect.objectContaining({ type: item })]));
      if (isStreamed) expect(events.at(-1)?.[0]).toBe('response.completed');
    });
  }
});

function eventsIn(text: string): (readonly [string, JsonObject])[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [name = '', data = ''] = block.split('\n');
      return [name.slice('event: '.length), JSON.parse(data.slice('data: '.length))] as const;
    });
}
