import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signatureOf, thinkingBlock } from '../../support/fakes/fake-anthropic/answer.js';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { type Answer, bodyOf, type Call, caller, type Row, recordOf } from '../../support/rest.js';
import { wireFormatOf } from '../platforms/wire-formats.js';
import { responseIn } from './responses.fixture.js';

/** Two that speak Responses alone, and two families with thoughts of their own. */
const SLUGS = ['openai', 'azure-catalog', 'anthropic', 'vertex-gemini'] as const;
type Slug = (typeof SLUGS)[number];

const CITY = { city: 'Zürich' };
const GEMINI_SIGNATURE = 'Z2VtaW5p';
const thoughtOf = (turn: number) => `Hm ${turn}`;

/** An answer with a thought and a call, other ones in each turn. */
const CALLING: Readonly<Record<Slug, (turn: number) => object>> = {
  openai: callingResponse,
  'azure-catalog': callingResponse,
  anthropic: (turn) => ({
    content: [
      thinkingBlock(thoughtOf(turn)),
      { type: 'tool_use', id: `toolu_${turn}`, name: 'weather', input: CITY },
    ],
  }),
  'vertex-gemini': (turn) => ({
    parts: [
      { text: thoughtOf(turn), thought: true },
      { functionCall: { name: 'weather', args: CITY }, thoughtSignature: `${GEMINI_SIGNATURE}${turn}A==` },
    ],
  }),
};

function callingResponse(turn: number): object {
  return {
    reasoning: [thoughtOf(turn)],
    words: [],
    calls: [{ id: `call_${turn}`, name: 'weather', input: CITY }],
  };
}

/** What a provider that gets its thought back finds, so many times in a request. */
const SEALED: Readonly<Record<Slug, (turn: number) => string>> = {
  openai: () => 'gAAAfake==',
  'azure-catalog': () => 'gAAAfake==',
  anthropic: (turn) => signatureOf(thoughtOf(turn)),
  'vertex-gemini': (turn) => `${GEMINI_SIGNATURE}${turn}A==`,
};

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** A client of one API, which sends back what it got. */
interface Api {
  readonly path: string;
  readonly body: object;
  readonly history: 'input' | 'messages';
  /** What follows in the conversation: the answer as it came, and what its tool gave. */
  next(answer: Answer): readonly Row[];
}

const RESULT = '{"degrees":3}';

const APIS: Readonly<Record<string, Api>> = {
  responses: {
    path: '/responses',
    history: 'input',
    body: {
      max_output_tokens: 4096,
      tools: [{ type: 'function', name: 'weather', parameters: PARAMETERS }],
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    },
    next(answer) {
      const output = responseIn(answer).output as Row[];
      const calls = output.filter(({ type }) => type === 'function_call');
      const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: RESULT }));
      return [...output, ...results];
    },
  },
  chat: {
    path: '/chat/completions',
    history: 'messages',
    body: {
      max_tokens: 4096,
      tools: [{ type: 'function', function: { name: 'weather', parameters: PARAMETERS } }],
      reasoning: { effort: 'low' },
    },
    next(answer) {
      const [{ message }] = bodyOf(answer).choices as [{ message: Row }];
      const calls = (message.tool_calls ?? []) as Row[];
      return [message, ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: RESULT }))];
    },
  },
  messages: {
    path: '/messages',
    history: 'messages',
    body: {
      max_tokens: 4096,
      tools: [{ name: 'weather', input_schema: PARAMETERS }],
      thinking: { type: 'adaptive' },
    },
    next(answer) {
      const content = bodyOf(answer).content as Row[];
      const calls = content.filter(({ type }) => type === 'tool_use');
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: RESULT }));
      return [
        { role: 'assistant', content },
        { role: 'user', content: results },
      ];
    },
  },
};

function speaksResponses({ slug }: Platform): boolean {
  return slug === 'openai' || slug === 'azure-catalog';
}

const HELLO = { role: 'user', content: 'The weather there?' };
const TURNS = 3;

describe('reasoning over three turns with tools', () => {
  let gateway: PlatformsGateway;

  beforeAll(async () => {
    gateway = await launchPlatforms([
      {
        name: 'm',
        upstreamId: (platform) => (speaksResponses(platform) ? 'gpt-5.2' : wireFormatOf(platform).model),
        overrides: () => ({ reasoning: { mandatory: false, supports_max_tokens: false } }),
        endpoint: (platform) => (speaksResponses(platform) ? { formats: ['responses'] } : {}),
      },
    ]);
  });
  afterAll(() => gateway.stop());

  function platformOf(slug: Slug): Platform {
    const platform = PLATFORMS.find((one) => one.slug === slug);
    if (platform === undefined) throw new Error(`no platform ${slug}`);
    return platform;
  }

  const sentTo = (slug: Slug) => JSON.stringify(gateway.received(platformOf(slug))[0]);

  const times = (text: string, part: string) => text.split(JSON.stringify(part).slice(1, -1)).length - 1;

  /** Asks in a conversation, whose host calls the tool in all turns but the last. */
  async function turn(
    slug: Slug,
    api: Api,
    history: readonly Row[],
    more: object = {},
    use: Call = gateway.use,
  ) {
    const body = { model: `${slug}/m`, ...api.body, [api.history]: history, ...more };
    const answer = await use('POST', api.path, body);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer;
  }

  /** The conversation with so many turns in which a tool was called. */
  async function conversation(slug: Slug, api: Api, turns: number, stream = false): Promise<readonly Row[]> {
    let history: readonly Row[] = [HELLO];
    for (let at = 1; at <= turns; at += 1) {
      gateway.plan(platformOf(slug), 'm', CALLING[slug](at));
      history = [...history, ...api.next(await turn(slug, api, history, { stream }))];
    }
    gateway.plan(platformOf(slug), 'm', {});
    return history;
  }

  const CELLS = SLUGS.flatMap((slug) =>
    Object.entries(APIS).flatMap(([name, api]) =>
      (name === 'responses' ? [false, true] : [false]).map((stream) => ({ slug, name, api, stream })),
    ),
  );

  it.each(CELLS)('is carried back to $slug by $name (streamed: $stream)', async ({ slug, api, stream }) => {
    const history = await conversation(slug, api, TURNS, stream);
    await turn(slug, api, history, { stream });
    const sent = sentTo(slug);
    for (let at = 1; at <= TURNS; at += 1) {
      const isSame = SEALED[slug](1) === SEALED[slug](2);
      expect([at, times(sent, SEALED[slug](at))]).toEqual([at, isSame ? TURNS : 1]);
    }
    expect(sent).not.toContain('bw2.');
  });

  // What OpenAI has encrypted is sent to Azure too, and left out once it is refused.
  const PAIRS = SLUGS.flatMap((from) =>
    SLUGS.filter((to) => CALLING[to] !== CALLING[from]).map((to) => [from, to] as const),
  );

  it.each(PAIRS)('of %s is dropped without a 400 where it falls back to %s', async (from, to) => {
    const api = APIS.responses as Api;
    const history = await conversation(from, api, 2);
    for (const stream of [false, true]) {
      gateway.plan(platformOf(from), 'm', { status: 503, body: { error: { message: 'Overloaded' } } });
      const answer = await turn(from, api, history, { models: [`${from}/m`, `${to}/m`], stream });
      const record = recordOf(
        await gateway.manage('GET', `/generation?id=${answer.headers['x-generation-id']}`),
      );
      expect(record.model).toBe(`${to}/m`);
      for (const at of [1, 2]) expect(sentTo(to)).not.toContain(SEALED[from](at));
      expect(sentTo(to)).not.toContain('bw2.');
    }
    gateway.plan(platformOf(from), 'm', {});
  });

  it.each(['anthropic', 'vertex-gemini'] as const)('of another account is dropped: %s', async (slug) => {
    const api = APIS.responses as Api;
    const history = await conversation(slug, api, 2);
    const other = await gateway.addAccount();
    const manage = caller(gateway, other.managementKey);
    const platform = platformOf(slug);
    const key = platform.credential(gateway.fakes, []);
    const text = typeof key === 'string' ? key : JSON.stringify(key);
    expect((await manage('POST', '/byok', { provider: slug, key: text })).status).toBe(201);
    const answer = await turn(slug, api, history, {}, caller(gateway, other.apiKey));
    const record = recordOf(await manage('GET', `/generation?id=${answer.headers['x-generation-id']}`));
    expect(record.omitted).toEqual(['reasoning']);
    for (const at of [1, 2]) expect(sentTo(slug)).not.toContain(SEALED[slug](at));
  });
});
