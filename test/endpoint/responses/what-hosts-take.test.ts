import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { chunksOf, wholeAnswer } from '../../support/fakes/fake-openai/answer.js';
import { startFakeProvider } from '../../support/fakes/fake-openai/server.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { startGateway } from '../../support/gateway.js';
import { bodyOf, caller, type Row, recordOf } from '../../support/rest.js';

const SLUGS = ['deepseek', 'groq', 'openai', 'xai', 'other'] as const;
type Slug = (typeof SLUGS)[number];

/** A server of one's own, which takes all that it is sent. */
const startLenient = () =>
  startFakeProvider({
    ...{ root: '/v1', headers: {}, wholeAnswer, chunksOf },
    refusalOf: () => undefined,
    modelOf: (_, { model = '' }) => model,
  });

/** Models `test/SLUG-then-other`, whose first host is the cheaper one, and `test/SLUG`, which has no other. All speak Responses alone. */
async function start() {
  const fakes = new Map(
    await Promise.all(
      SLUGS.map(
        async (slug) => [slug, await (slug === 'other' ? startLenient() : startFakeOpenAi())] as const,
      ),
    ),
  );
  const at = (provider: Slug, price: string) => ({
    ...{ provider, upstream_model_id: 'm', formats: ['responses'] },
    pricing: { prompt: price, completion: price },
  });
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: SLUGS.map((slug) => ({
        ...{ slug, name: `Provider ${slug}`, adapter: 'openai', base_url: fakes.get(slug)?.baseUrl },
      })),
      models: SLUGS.flatMap((slug) => [
        demoModel(`test/${slug}`, [at(slug, '0.000001')]),
        ...(slug === 'other'
          ? []
          : [demoModel(`test/${slug}-then-other`, [at(slug, '0.000001'), at('other', '0.000002')])]),
      ]),
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  for (const provider of SLUGS) {
    expect((await manage('POST', '/byok', { provider, key: FAKE_API_KEY })).status).toBe(201);
  }
  const use = caller(gateway, gateway.apiKey);
  return { fakes, use, recorded: async (id: unknown) => recordOf(await use('GET', `/generation?id=${id}`)) };
}

const PNG = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==';
const BMP = 'data:image/bmp;base64,Qk0=';
const image = (image_url: string) => ({ type: 'input_image', image_url });
const user = (...content: readonly object[]) => ({ role: 'user', content });
const text = (words: string) => ({ type: 'input_text', text: words });
const look = (name: string) => ({ type: 'function', name, parameters: { type: 'object', properties: {} } });
const patch = { type: 'custom', name: 'patch' };
const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };
const output = (...parts: readonly object[]) => {
  return { type: 'function_call_output', call_id: 'call_1', output: parts };
};
const namespace = { type: 'namespace', name: 'agents', description: 'Agents', tools: [look('spawn')] };

/** What a host can't take, the member that the client is told, and in which words. */
const UNTAKEN: Readonly<Record<string, readonly [Slug, object, string, string]>> = {
  'an image': [
    'deepseek',
    { input: [user(text('What is it?'), image(PNG))] },
    'input[0].content[1]',
    'no part of type image_url, but text',
  ],
  'an image in an output': [
    'deepseek',
    { input: [user(text('Look')), call, output(text('Here'), image(PNG))], tools: [look('look')] },
    'input[2].output[1]',
    'no part of type image_url, but text',
  ],
  'a file': [
    'groq',
    {
      input: [user({ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' })],
    },
    'input[0].content[0]',
    'no part of type file',
  ],
  'an image of a type that it can’t read': [
    'openai',
    { input: [user(image(PNG), image(BMP))] },
    'input[0].content[1]',
    'no images of type image/bmp, but image/jpeg',
  ],
  'too many functions': [
    'openai',
    { input: 'Hi', tools: Array.from({ length: 129 }, (_, at) => look(`look_${at}`)) },
    'tools',
    'at most 128',
  ],
  'the choice of a custom tool': [
    'xai',
    { input: 'Hi', tools: [look('look'), patch], tool_choice: { type: 'custom', name: 'patch' } },
    'tool_choice',
    'no tools of type custom',
  ],
  'the choice of a function in a namespace': [
    'xai',
    {
      input: [{ type: 'additional_tools', role: 'developer', tools: [namespace] }, user(text('Hi'))],
      tools: [look('look')],
      tool_choice: { type: 'function', name: 'spawn', namespace: 'agents' },
    },
    'tool_choice',
    'no tools of type namespace',
  ],
  'a call among custom tools alone': [
    'xai',
    { input: 'Hi', tools: [patch], tool_choice: 'required' },
    'tool_choice',
    'no tools of type custom',
  ],
  'a call among allowed tools that are custom': [
    'xai',
    {
      input: 'Hi',
      tools: [look('look'), patch],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'patch' }] },
    },
    'tool_choice',
    'no tools of type custom',
  ],
  'a request to compact': [
    'xai',
    { input: [user(text('Hi')), { type: 'compaction_trigger' }] },
    'input[1]',
    'no items of type compaction_trigger',
  ],
  'a conversation that another provider has compacted': [
    'xai',
    { input: [{ type: 'compaction', encrypted_content: 'gAAA'.repeat(32) }, user(text('Go on'))] },
    'input[0]',
    'no items of type compaction',
  ],
};

describe('a host of Responses that can’t take what a request uses', () => {
  it.each(Object.entries(UNTAKEN))(
    '%s: another is asked, and explain and the record say why; alone it is 400, which names the member',
    async (_, [slug, body, field, rule]) => {
      const { fakes, use, recorded } = await start();
      const model = `test/${slug}-then-other`;
      for (const stream of [false, true]) {
        const answer = await use('POST', '/responses', { model, ...body, stream });
        expect(answer.status, answer.text).toBe(200);
        const record = await recorded(answer.headers['x-generation-id']);
        expect(record).toMatchObject({ api: 'responses', lane: 'native' });
        // With the key, and over shared capacity.
        expect(record.excluded_counts).toMatchObject({ unsupported_parameter: 2 });
        expect((record.provider_responses as Row[]).map(({ provider }) => provider)).toEqual(['other']);
      }
      const asked = { format: 'responses', model, ...body };
      const { attempts, excluded } = recordOf(await use('POST', '/routing/explain', asked));
      expect((attempts as Row[]).map(({ provider, lane }) => [provider, lane])).toEqual([
        ['other', 'native'],
      ]);
      const detail = expect.stringContaining(`${field}: Provider ${slug} takes ${rule}`);
      const reason = 'unsupported_parameter';
      expect(excluded).toContainEqual(expect.objectContaining({ provider: slug, reason, detail }));

      const alone = await use('POST', '/responses', { model: `test/${slug}`, ...body });
      expect([alone.status, fakes.get(slug)?.requests]).toEqual([400, []]);
      expect(bodyOf(alone).error).toMatchObject({
        ...{ type: 'invalid_request_error', code: 'unsupported_parameter', param: field },
        metadata: {
          violations: expect.arrayContaining([
            { field, rule: 'unsupported', message: expect.stringContaining(rule) },
          ]),
        },
      });
    },
  );

  it.each<[string, Slug, object]>([
    ['an image of a type that it reads', 'openai', { input: [user(image(PNG))] }],
    ['a file, as OpenAI does', 'openai', { input: [user({ type: 'input_file', file_id: 'file-1' })] }],
    ['tools that need not be called', 'xai', { input: 'Hi', tools: [look('look'), patch] }],
    [
      'a call among tools of which it has one',
      'xai',
      { input: 'Hi', tools: [look('look'), patch], tool_choice: 'required' },
    ],
    [
      'a conversation that was compacted into words',
      'xai',
      { input: [{ type: 'compaction', encrypted_content: 'They said hello.' }, user(text('Go on'))] },
    ],
  ])('%s is sent', async (_, slug, body) => {
    const { fakes, use } = await start();
    const answer = await use('POST', '/responses', { model: `test/${slug}`, ...body });
    expect(answer.status, answer.text).toBe(200);
    expect(fakes.get(slug)?.requests.length).toBe(1);
    if (slug === 'xai' && JSON.stringify(body).includes('compaction')) {
      expect(JSON.stringify(fakes.get(slug)?.requests[0]?.body)).toContain('They said hello.');
    }
  });

  it('is left out for parameters that it has not, where they are required', async () => {
    const { use } = await start();
    const asked = { input: 'Hi', temperature: 1.7, provider: { require_parameters: true } };
    const { attempts } = recordOf(
      await use('POST', '/routing/explain', { format: 'responses', model: 'test/openai', ...asked }),
    );
    expect(attempts).not.toEqual([]);
    const refused = await use('POST', '/responses', { model: 'test/openai', ...asked, temperature: 2.5 });
    expect(refused.status).toBe(400);
    expect(bodyOf(refused).error).toMatchObject({ param: 'temperature' });
  });
});
