import type { JsonObject } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import {
  type ResponsesCall,
  responseEvents,
  wholeResponse,
} from '../../support/fakes/fake-openai/responses.js';
import { type HostsGateway, launchHosts } from '../../support/hosts/gateway.js';
import { HOSTS, type Lack, modelIdOf } from '../../support/hosts/table.js';
import { launchPlatforms, type PlatformsGateway } from '../../support/platforms.js';
import type { Call } from '../../support/rest.js';
import { CASES, eventViolations, responseViolations } from './open-responses.js';
import { PLACES, placesOf } from './places.js';

describe('the acceptance cases of Open Responses', () => {
  let gateway: PlatformsGateway;
  beforeAll(async () => {
    gateway = await launchPlatforms(placesOf());
  });
  afterAll(() => gateway?.stop());

  for (const { platform, lane } of PLACES) {
    it.each(CASES)(`$id passes at ${platform.slug}, ${lane}`, ({ body, item }) =>
      passes(gateway.use, `${platform.slug}/${lane}`, body, { type: item }),
    );
  }

  const native = PLACES.filter(({ lane }) => lane === 'native');

  it.each(native)('response-output-phase-schema passes at $platform.slug, $lane', async (place) => {
    gateway.plan(place.platform, place.lane, phased);
    for (const more of [{}, { stream: true }])
      await passes(
        gateway.use,
        `${place.platform.slug}/${place.lane}`,
        { input: 'Hello', ...more },
        { phase: 'final_answer' },
      );
  });
});

describe('the acceptance cases of Open Responses at strict hosts', () => {
  let gateway: HostsGateway;
  beforeAll(async () => {
    gateway = await launchHosts({ context_length: 1_000_000 }, 'byok');
  });
  afterAll(() => gateway?.stop());

  describe.each(HOSTS)('$name', (host) => {
    const lacking = new Set(LACKING.flatMap(([lack, id]) => (host.lacks.includes(lack) ? [id] : [])));
    it.each(CASES.filter(({ id }) => !lacking.has(id)))('$id passes', async ({ body, item }) => {
      await passes(gateway.use, modelIdOf(host), body, { type: item });
      expect(gateway.requests(host).flatMap(({ refused }) => refused ?? [])).toEqual([]);
    });
  });
});

/** What a case needs of a host. */
const LACKING: readonly (readonly [lack: Lack, id: string])[] = [
  ['tools', 'tool-calling'],
  ['images', 'image-input'],
];

/** The case is answered as the schemas say, by an item that has the members. */
async function passes(use: Call, model: string, body: object, members: object): Promise<void> {
  const isStreamed = 'stream' in body;
  const { status, text } = await use('POST', '/responses', { model, ...body });
  expect([status, status === 200 || text]).toEqual([200, true]);
  const events = isStreamed ? eventsIn(text) : [];
  expect(eventViolations(events)).toEqual([]);
  const response: JsonObject = isStreamed ? (events.at(-1)?.[1].response as JsonObject) : JSON.parse(text);
  expect(responseViolations(response)).toEqual([]);
  expect(response).toMatchObject({ status: 'completed', error: null });
  expect(response.output).toEqual(expect.arrayContaining([expect.objectContaining(members)]));
  if (isStreamed) expect(events.at(-1)?.[0]).toBe('response.completed');
}

/** OpenAI's answer with the phase of its message: `ResponseOutputMessage` of the package `openai` 6.49. */
function phased(body: ResponsesCall): FakePlan {
  const answer = JSON.parse(withPhase(wholeResponse(body, {})));
  return {
    answer,
    chunks: responseEvents(body, {})
      .map(withPhase)
      .map((event) => JSON.parse(event)),
  };
}

function withPhase(value: object): string {
  return JSON.stringify(value).replaceAll('"type":"message",', '"type":"message","phase":"final_answer",');
}

function eventsIn(text: string): (readonly [string, JsonObject])[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [name = '', data = ''] = block.split('\n');
      return [name.slice('event: '.length), JSON.parse(data.slice('data: '.length))] as const;
    });
}
