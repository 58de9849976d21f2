import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway, type TestGateway } from '../../support/gateway.js';
import { bodyOf, caller, type Row, recordOf, refusalOf } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;

const PARAMETERS = ['max_tokens', 'reasoning'];
const reasoner = (id: string, reasoning: object | undefined) =>
  demoModel(id, [{ provider: 'demo', upstream_model_id: 'reasoner' }], {
    supported_parameters: PARAMETERS,
    ...(reasoning && { reasoning }),
  });

beforeAll(async () => {
  gateway = await launchGateway({
    catalog: {
      providers: [demoProvider('demo')],
      models: [
        reasoner('r/free', { mandatory: false }),
        reasoner('r/always', { mandatory: true }),
        reasoner('r/must', { mandatory: true, supported_efforts: ['high', 'low'] }),
        reasoner('r/bound', { mandatory: false, supports_max_tokens: true }),
        reasoner('r/plain', undefined),
      ],
    },
  });
});
afterAll(() => gateway.stop());

const chat = (body: object, at: TestGateway = gateway) =>
  caller(at, at.apiKey)('POST', '/chat/completions', {
    messages: [{ role: 'user', content: 'Hello there' }],
    ...body,
  });

interface Shown {
  readonly choices: readonly { message: { content: string; reasoning?: string } }[];
  readonly usage: { completion_tokens_details: { reasoning_tokens: number } };
}

async function answerTo(body: object) {
  const answer = await chat(body);
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  const { choices, usage } = bodyOf(answer) as unknown as Shown;
  const { reasoning, content } = choices[0]?.message ?? {};
  return { reasoning, content, tokens: usage.completion_tokens_details.reasoning_tokens };
}

describe('reasoning over REST', () => {
  it('an effort reaches the model, the nearest that it supports', async () => {
    expect((await answerTo({ model: 'r/free', reasoning: { effort: 'max' } })).reasoning).toContain(
      'is max.',
    );
    expect((await answerTo({ model: 'r/must', reasoning: { effort: 'max' } })).reasoning).toContain(
      'is high.',
    );
    expect((await answerTo({ model: 'r/must', reasoning_effort: 'minimal' })).reasoning).toContain('is low.');
  });

  it('max_tokens reaches a model that accepts it, as does the share that an effort stands for', async () => {
    expect((await answerTo({ model: 'r/bound', reasoning: { max_tokens: 3 } })).tokens).toBe(3);
    const shared = { model: 'r/bound', max_tokens: 40, reasoning: { effort: 'minimal' } };
    expect((await answerTo(shared)).tokens).toBe(4);
  });

  it('turned off, the model does not reason', async () => {
    for (const members of [{ reasoning: { enabled: false } }, { reasoning_effort: 'none' }]) {
      const { reasoning, tokens } = await answerTo({ model: 'r/free', ...members });
      expect([reasoning, tokens]).toEqual([undefined, 0]);
    }
  });

  it.each([
    [{ reasoning: { enabled: false } }, 'reasoning.enabled'],
    [{ reasoning: { effort: 'none' } }, 'reasoning.effort'],
    [{ reasoning_effort: 'none' }, 'reasoning_effort'],
  ])('%j is refused where reasoning is mandatory', async (members, field) => {
    const refused = [400, 'invalid_request', `${field} mandatory`];
    expect(refusalOf(await chat({ model: 'r/always', ...members }))).toEqual(refused);
    expect(refusalOf(await chat({ model: 'r/always', ...members, stream: true }))).toEqual(refused);
    expect(refusalOf(await chat({ models: ['r/always', 'r/must'], ...members }))).toEqual([
      ...refused,
      `${field} mandatory`,
    ]);
  });

  it('a model that refuses is skipped while another one is left', async () => {
    const answer = await chat({ models: ['r/always', 'r/free'], reasoning: { enabled: false } });
    expect(bodyOf(answer)).toMatchObject({ model: 'r/free' });
  });

  it('explain shows what a chat would refuse or skip', async () => {
    const explained = async (body: object) => {
      const { attempts, excluded } = recordOf(
        await caller(gateway, gateway.apiKey)('POST', '/routing/explain', body),
      );
      return {
        attempts: (attempts as Row[]).map(({ model }) => model),
        excluded: (excluded as Row[]).map(({ provider, endpoint, reason, detail }) => ({
          provider,
          endpoint,
          reason,
          detail,
        })),
      };
    };
    const refused = {
      provider: 'demo',
      endpoint: 'demo/r/always',
      reason: 'unsupported_parameter',
      detail: 'r/always always reasons: its reasoning cannot be turned off.',
    };
    for (const members of [{ reasoning: { enabled: false } }, { reasoning_effort: 'none' }]) {
      expect(await explained({ model: 'r/always', ...members })).toEqual({
        attempts: [],
        excluded: [refused],
      });
      const models = ['r/always', 'r/free'];
      expect(await explained({ models, ...members })).toEqual({ attempts: ['r/free'], excluded: [refused] });
    }
    const strict = {
      model: 'r/must',
      provider: { require_parameters: true },
      reasoning: { effort: 'medium' },
    };
    expect(await explained(strict)).toEqual({
      attempts: [],
      excluded: [
        expect.objectContaining({
          reason: 'unsupported_parameter',
          detail: 'r/must takes no such effort, but high, low.',
        }),
      ],
    });
    for (const reasoning of ['off', 7, { effort: 'high' }, { enabled: 'no' }]) {
      expect(await explained({ model: 'r/always', reasoning })).toEqual({
        attempts: ['r/always'],
        excluded: [],
      });
    }
  });

  it('a model that does not reason ignores it', async () => {
    expect((await chat({ model: 'r/plain', reasoning: { effort: 'none' } })).status).toBe(200);
    expect((await chat({ model: 'r/plain', reasoning: { effort: 'high' } })).status).toBe(200);
  });

  it('with require_parameters, reasoning that a model does not take as requested is refused instead of translated', async () => {
    const provider = { require_parameters: true };
    const refusal = async (body: object) => refusalOf(await chat({ provider, ...body }));
    expect(await refusal({ model: 'r/must', reasoning: { effort: 'medium' } })).toEqual([
      400,
      'invalid_request',
      'reasoning.effort unsupported',
    ]);
    expect(await refusal({ model: 'r/must', reasoning: { max_tokens: 5 } })).toEqual([
      400,
      'invalid_request',
      'reasoning.max_tokens unsupported',
    ]);
    const taken = await chat({ model: 'r/must', reasoning: { effort: 'low' }, provider });
    expect(taken.status).toBe(200);
  });

  it('contradictory and unknown values are reported all at once', async () => {
    const refusal = await chat({
      model: 'r/free',
      reasoning: { effort: 'hard', max_tokens: 0 },
      include_reasoning: 'yes',
    });
    expect(refusalOf(refusal)).toEqual([
      400,
      'invalid_request',
      'reasoning.effort enum',
      'reasoning.max_tokens range',
      'include_reasoning type',
    ]);
    const both = await chat({ model: 'r/free', reasoning: { effort: 'low', max_tokens: 9 }, stream: true });
    expect(refusalOf(both)).toEqual([400, 'invalid_request', 'reasoning.max_tokens conflict']);
  });
});

describe.each([[{ reasoning: { exclude: true } }], [{ include_reasoning: false }]])('%j', (members) => {
  it('omits the reasoning from the answer, and counts it', async () => {
    const shown = await answerTo({ model: 'r/free' });
    const hidden = await answerTo({ model: 'r/free', ...members });
    expect(shown.reasoning).toContain('Hello there');
    expect(hidden).toEqual({ ...shown, reasoning: undefined });
    expect(hidden.tokens).toBeGreaterThan(0);
  });

  it('omits it from a stream, without leaving empty chunks', async () => {
    const { text } = await chat({ model: 'r/free', stream: true, ...members });
    const data = text.split('\n\n').filter((event) => event.startsWith('data: {'));
    const chunks = data.map((event) => JSON.parse(event.slice('data: '.length)));
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(text).not.toContain('reasoning"');
    const pieces = chunks.slice(0, -1).map(({ choices }) => choices[0]);
    expect(pieces.map(({ delta }) => delta.content ?? '').join('')).toContain('Hello there');
    expect(pieces[0].delta.role).toBe('assistant');
    for (const { delta, finish_reason } of pieces) {
      expect(Object.keys(delta).length > 0 || finish_reason === 'stop').toBe(true);
    }
    const { usage } = chunks.at(-1);
    expect(usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  });
});
