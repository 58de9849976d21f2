/** A gateway in front of all kinds of providers with one model, for tests of one kind at a time. */
import { afterAll, beforeAll } from 'vitest';
import {
  chunksOf,
  launchPlatforms,
  PLATFORMS,
  type Platform,
  type PlatformModel,
  type PlatformsGateway,
} from '../../support/platforms.js';
import { bodyOf, type Row } from '../../support/rest.js';

const MESSAGES = [{ role: 'user', content: 'Hello there' }];

/** What tests of this folder do with it. */
export interface OnePlatform {
  readonly gateway: () => PlatformsGateway;
  /** Asks the model of a platform; the answer's body, or its error. */
  ask(slug: string, more?: object, name?: string): Promise<Row>;
  /** The chunks of a streamed answer. */
  stream(slug: string, more?: object, name?: string): Promise<readonly Row[]>;
  /** Sets the plan for the platform's next requests. */
  plan(slug: string, plan: object, name?: string): void;
  /** The last request that the platform's fake got. */
  sent(slug: string): Row;
}

/** Started before the tests of the file, and stopped after them. */
export function onPlatforms(models: readonly PlatformModel[] = [{ name: 'm' }]): OnePlatform {
  let gateway: PlatformsGateway;
  beforeAll(async () => {
    gateway = await launchPlatforms(models);
  });
  afterAll(() => gateway.stop());
  const post = (slug: string, name: string, more: object) =>
    gateway.use('POST', '/chat/completions', { model: `${slug}/${name}`, messages: MESSAGES, ...more });
  return {
    gateway: () => gateway,
    ask: async (slug, more = {}, name = 'm') => bodyOf(await post(slug, name, more)),
    stream: async (slug, more = {}, name = 'm') =>
      chunksOf(await post(slug, name, { ...more, stream: true })).chunks as unknown as readonly Row[],
    plan: (slug, plan, name = 'm') => gateway.plan(platformOf(slug), name, plan),
    sent: (slug) => gateway.received(platformOf(slug))[0] as Row,
  };
}

function platformOf(slug: string): Platform {
  const platform = PLATFORMS.find((known) => known.slug === slug);
  if (platform === undefined) throw new Error(`there is no platform ${slug}`);
  return platform;
}

/** The message of the first choice. */
export function messageOf({ choices }: Row): Row {
  return (choices as Row[])[0]?.message as Row;
}
