/** Gateways in front of all kinds of providers over shared capacity and with keys of the account, side by side. */
import { afterAll, beforeAll, expect } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { type Answer, bodyOf, type Row, recordOf } from '../../support/rest.js';

export const HELLO = [{ role: 'user', content: 'Hello there' }];

/** Platforms whose models speak Messages. */
export const CLAUDES = PLATFORMS.filter(({ family }) => family.includes('claude'));

export interface Capacities {
  readonly shared: () => PlatformsGateway;
  readonly own: () => PlatformsGateway;
}

/** Of a model `m` that takes what the newest take; `overrides` are members of its entry in the catalogue. */
export function onBothCapacities(overrides: object = {}): Capacities {
  let shared: PlatformsGateway;
  let own: PlatformsGateway;
  beforeAll(async () => {
    const model = { name: 'm', upstreamId, overrides: () => ({ context_length: 1_000_000, ...overrides }) };
    shared = await launchPlatforms([model], 'shared');
    own = await launchPlatforms([model], 'byok');
  });
  afterAll(async () => {
    await shared.stop();
    await own.stop();
  });
  return { shared: () => shared, own: () => own };
}

function upstreamId({ slug, family }: Platform): string {
  return `${family.replace('claude-3-haiku', 'claude-sonnet-4-5')}${slug}-m`;
}

export interface Asked {
  readonly answer: Answer;
  /** What the provider was sent; undefined where nothing was. */
  readonly sent: Row | undefined;
  readonly headers: Row;
  /** The record; undefined for a request that was not admitted. */
  readonly record: Row | undefined;
  /** What the last attempt was sent otherwise, or not. */
  readonly adapted: unknown;
}

/** Asks in either format. */
export async function ask(
  gateway: PlatformsGateway,
  platform: Platform,
  path: '/chat/completions' | '/messages',
  more: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Asked> {
  const { requests } = gateway.fakes[platform.fake];
  const before = requests.length;
  const body = { model: `${platform.slug}/m`, max_tokens: 4000, messages: HELLO, ...more };
  const answer = await gateway.use('POST', path, body, headers);
  const request = requests.slice(before).at(-1);
  const id = answer.headers['x-generation-id'];
  const record = id === undefined ? undefined : recordOf(await gateway.use('GET', `/generation?id=${id}`));
  const responses = (record?.provider_responses ?? []) as readonly Row[];
  return {
    answer,
    sent: request === undefined ? undefined : (request.body as Row),
    headers: (request?.headers ?? {}) as Row,
    record,
    adapted: responses.at(-1)?.adapted,
  };
}

/** Checks that the request is 400 and names the place, and that no provider saw it. */
export function expectRefused({ answer, sent }: Asked, named: string): void {
  expect([answer.status, answer.text], named).toEqual([400, expect.stringContaining(named)]);
  expect(JSON.stringify(bodyOf(answer))).toContain('key of your own');
  expect(sent).toBeUndefined();
}
