import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type PlatformsGateway } from '../../support/platforms.js';
import { readExposition, sampleValue } from '../../support/prometheus.js';
import { type Answer, type Row, recordOf } from '../../support/rest.js';

const REFUSED = 'prompt-caching-2024-07-31';
const TAKEN = 'context-management-2025-06-27';
const CLAUDE = PLATFORMS.find(({ slug }) => slug === 'vertex-claude');

/** A client that was made for Anthropic sends features that Vertex AI refuses by name. */
describe('a beta feature that Claude’s host refuses', () => {
  let gateway: PlatformsGateway;
  beforeAll(async () => {
    gateway = await launchPlatforms(['header', 'member', 'both', 'many', 'strict'].map((name) => ({ name })));
  });
  afterAll(() => gateway.stop());

  const ask = (name: string, more: object, betas?: string): Promise<Answer> => {
    const body = {
      model: `${CLAUDE?.slug}/${name}`,
      messages: [{ role: 'user', content: 'Hello' }],
      ...more,
    };
    const headers = betas === undefined ? {} : { 'anthropic-beta': betas };
    return gateway.use('POST', '/chat/completions', body, headers);
  };
  /** The header of each request since there were so many. */
  const sentSince = (count: number) =>
    gateway.fakes.vertex.requests.slice(count).map(({ headers }) => headers['anthropic-beta']);
  const adapted = async ({ headers }: Answer) => {
    const record = recordOf(await gateway.use('GET', `/generation?id=${headers['x-generation-id']}`));
    return (record.provider_responses as Row[]).map(({ status, adapted }) => [status, adapted]);
  };

  it.each([
    ['header', {}, `${REFUSED},${TAKEN}`],
    ['member', { betas: [REFUSED, TAKEN] }, undefined],
    ['both', { betas: [REFUSED, TAKEN] }, REFUSED],
  ])('by the %s: is left out, and remembered, whole and streamed', async (name, more, betas) => {
    const before = gateway.fakes.vertex.requests.length;
    for (const stream of [false, true]) {
      const answer = await ask(name, { ...more, stream }, betas);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('mitenand')]);
      expect(await adapted(answer)).toEqual([[200, [`anthropic-beta:${REFUSED}`]]]);
    }
    const [first, ...rest] = sentSince(before);
    expect(String(first).split(',').toSorted()).toEqual([TAKEN, REFUSED]);
    expect(rest).toEqual([TAKEN, TAKEN]);
  });

  it('with others: one is left out, then all that are still named, each remembered, and counted in one metric', async () => {
    const before = gateway.fakes.vertex.requests.length;
    const all = [REFUSED, 'structured-outputs-2025-12-15', TAKEN].join(',');
    expect((await ask('many', {}, all)).status).toBe(200);
    expect((await ask('many', {}, all)).status).toBe(200);
    expect(sentSince(before)).toEqual([all, `structured-outputs-2025-12-15,${TAKEN}`, TAKEN, TAKEN]);
    const { url, operatorKey } = gateway;
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${operatorKey}` } });
    const labels = { provider: String(CLAUDE?.slug), member: 'anthropic-beta' };
    const families = readExposition(await metrics.text());
    expect(sampleValue(families, 'byway_adapted_attempts_total', labels)).toBeGreaterThan(0);
  });

  it('stays a refusal with require_parameters, in the host’s own words', async () => {
    const answer = await ask('strict', { provider: { require_parameters: true } }, REFUSED);
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining(`Unexpected value(s) \`${REFUSED}\` for the \`anthropic-beta\` header`),
    ]);
  });
});
