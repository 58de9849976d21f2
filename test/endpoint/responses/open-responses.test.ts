import type { JsonObject } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, type PlatformsGateway } from '../../support/platforms.js';
import { CASES, eventViolations, responseViolations } from './open-responses.js';
import { PLACES, placesOf } from './places.js';

describe('the acceptance cases of Open Responses', () => {
  let gateway: PlatformsGateway;
  beforeAll(async () => {
    gateway = await launchPlatforms(placesOf());
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
