import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { type Answer, type Row, recordOf } from '../../support/rest.js';

/** What of it no protocol but OpenAI's has, a value that Anthropic's models clamp, and what no answer shows. */
const REQUEST = {
  ...{ temperature: 1.5, seed: 7, n: 1, logit_bias: { 50256: -100 }, stop: ['END'], max_tokens: 50 },
  ...{ user: 'u', store: true, logprobs: false },
};

/** The members that each kind of provider is sent otherwise, or not. */
function adaptedBy({ slug, fake }: Platform): {
  header: string | null;
  adapted: string[] | null;
  omitted: string[];
} {
  if (slug === 'vertex-gemini') {
    return {
      header: 'logit_bias',
      adapted: ['logit_bias', 'user', 'store'],
      omitted: ['logit_bias', 'user', 'store'],
    };
  }
  if (slug === 'vertex-claude' || fake === 'anthropic') {
    const omitted = ['seed', 'logit_bias', 'store'];
    return { header: 'temperature, seed, logit_bias', adapted: ['temperature', ...omitted], omitted };
  }
  if (fake === 'bedrock') {
    const omitted = ['seed', 'logit_bias', 'user', 'store'];
    return { header: 'temperature, seed, logit_bias', adapted: ['temperature', ...omitted], omitted };
  }
  return { header: null, adapted: null, omitted: [] };
}

describe.each(PLATFORMS)('$slug: what is sent otherwise than the client has said it', (platform) => {
  let gateway: PlatformsGateway;
  beforeAll(async () => {
    gateway = await launchPlatforms([{ name: 'adapted' }]);
  });
  afterAll(() => gateway.stop());

  const told = async ({ headers }: Answer) => {
    const record = recordOf(await gateway.use('GET', `/generation?id=${headers['x-generation-id']}`));
    const adapted = (record.provider_responses as Row[]).at(-1)?.adapted;
    return { header: headers['x-byway-adapted'] ?? null, adapted, omitted: record.omitted };
  };

  it.each([false, true])('is told in a header and in the record, stream %j', async (stream) => {
    const messages = [{ role: 'user', content: 'Hello there' }];
    const model = `${platform.slug}/adapted`;
    const plain = await gateway.use('POST', '/chat/completions', { model, messages, stream });
    expect([plain.status, await told(plain)]).toEqual([200, { header: null, adapted: null, omitted: [] }]);
    const answer = await gateway.use('POST', '/chat/completions', { model, messages, ...REQUEST, stream });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    expect(await told(answer)).toEqual(adaptedBy(platform));
  });
});
