import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { bodyOf, type Row, refusalOf } from '../../support/rest.js';

/** Parameters of OpenAI's protocol. */
const OPENAI = {
  temperature: 0.5,
  top_p: 0.9,
  seed: 7,
  n: 2,
  frequency_penalty: 0.25,
  presence_penalty: 0.75,
  logit_bias: { 50256: -100 },
  logprobs: true,
  top_logprobs: 2,
  verbosity: 'low',
};

/** Parameters of other protocols only. */
const OTHERS = { top_k: 5, min_p: 0.125, top_a: 0.5, repetition_penalty: 1.5 };

const MESSAGES = { temperature: 0.5, top_p: 0.9, top_k: 5 };

/** The parameters of a protocol: what is sent for all of them, and what the catalogue lists for its endpoints. */
interface Words {
  readonly request: object;
  readonly sent: object;
  readonly supported: readonly string[];
  readonly choices: number;
}

const inCatalog = (parameters: object) => Object.keys(parameters).filter((name) => name !== 'n');

function wordsOf({ slug, fake }: Platform): Words {
  if (slug === 'vertex-gemini') {
    const sent = {
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      candidateCount: 2,
      seed: 7,
      responseLogprobs: true,
      logprobs: 2,
    };
    const { logit_bias, verbosity, ...known } = OPENAI;
    const supported = [...inCatalog(known), 'top_k'];
    return { request: { ...OPENAI, ...OTHERS }, sent: { generationConfig: sent }, supported, choices: 2 };
  }
  if (slug === 'vertex-claude' || fake === 'anthropic') {
    const sent = { max_tokens: 4096, ...MESSAGES };
    return { request: { ...OPENAI, ...OTHERS }, sent, supported: Object.keys(MESSAGES), choices: 1 };
  }
  if (fake === 'bedrock') {
    const inferenceConfig = { temperature: 0.5, topP: 0.9 };
    const sent = { inferenceConfig, additionalModelRequestFields: { top_k: 5 } };
    return { request: { ...OPENAI, ...OTHERS }, sent, supported: Object.keys(MESSAGES), choices: 1 };
  }
  const knowsOthers = slug === 'vertex-open';
  const isHostUnknown = slug === 'openai';
  return {
    request: { ...OPENAI, ...(!isHostUnknown && OTHERS) },
    sent: { ...OPENAI, ...(knowsOthers && OTHERS) },
    supported: [...inCatalog(OPENAI), ...(knowsOthers ? Object.keys(OTHERS) : [])],
    choices: 2,
  };
}

let gateway: PlatformsGateway;

beforeAll(async () => {
  const overrides = (platform: Platform) => ({ supported_parameters: wordsOf(platform).supported });
  gateway = await launchPlatforms([{ name: 'm', overrides }]);
});
afterAll(() => gateway.stop());

const PROMPT = { messages: [{ role: 'user', content: 'Hello there' }] };

/** The members of the provider's request that carry parameters. */
function parametersIn(body: Row): Row {
  const { model, messages, contents, anthropic_version, ...parameters } = body;
  return parameters;
}

describe('parameters that a protocol does not have (require_parameters)', () => {
  it.each(PLATFORMS)('$slug: are dropped, and the request is served', async (platform) => {
    const { request, sent, choices } = wordsOf(platform);
    const body = { model: `${platform.slug}/m`, ...PROMPT, ...request };
    const answer = await gateway.use('POST', '/chat/completions', body);
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    expect(parametersIn(gateway.received(platform)[0] as Row)).toEqual(sent);
    expect(bodyOf(answer).choices).toHaveLength(choices);
  });

  it.each(PLATFORMS)('$slug: exclude the endpoint where they are required', async (platform) => {
    const { supported } = wordsOf(platform);
    const explain = async (name: string, value: unknown) => {
      const request = {
        ...PROMPT,
        model: `${platform.slug}/m`,
        [name]: value,
        provider: { require_parameters: true },
      };
      const { data } = bodyOf(await gateway.use('POST', '/routing/explain', request));
      const { attempts, excluded } = data as { attempts: Row[]; excluded: Row[] };
      const reasons = excluded
        .filter(({ provider, byok_key_id }) => provider === platform.slug && byok_key_id !== null)
        .map(({ reason, detail }) => [reason, detail]);
      return [name, attempts.length, reasons];
    };
    const parameters = Object.entries({ ...OPENAI, ...OTHERS, web_search_options: {} });
    const explained = await Promise.all(parameters.map(([name, value]) => explain(name, value)));
    const isTaken = (name: string) => name === 'n' || supported.includes(name);
    const missing = (name: string) => ['unsupported_parameter', `The endpoint does not support ${name}.`];
    // The catalogue has them, but its host takes none of this model.
    const refused = platform.slug === 'vertex-gemini' ? ['frequency_penalty', 'presence_penalty'] : [];
    const untaken = (name: string) => [
      ...['unsupported_parameter', `${name}: Provider ${platform.slug} takes no ${name}.`],
    ];
    expect(explained).toEqual(
      parameters.map(([name]) => {
        if (refused.includes(name)) return [name, 0, [untaken(name)]];
        return isTaken(name) ? [name, 1, []] : [name, 0, [missing(name)]];
      }),
    );
  });

  it.each(PLATFORMS)('$slug: are refused then, before anything is sent', async (platform) => {
    const before = gateway.received(platform).length;
    const provider = { require_parameters: true };
    const body = {
      model: `${platform.slug}/m`,
      ...PROMPT,
      provider,
      temperature: 0.5,
      web_search_options: {},
    };
    const answer = await gateway.use('POST', '/chat/completions', body);
    expect(refusalOf(answer).slice(0, 2)).toEqual([404, expect.any(String)]);
    expect(bodyOf(answer).error).toMatchObject({ metadata: { reasons: { unsupported_parameter: 2 } } });
    expect(gateway.received(platform)).toHaveLength(before);
  });
});
