import { describe, expect, it } from 'vitest';
import { startProviders } from '../../support/providers.js';
import { caller, type Row } from '../../support/rest.js';
import { onPlatforms } from './platform.js';

const CLAUDES = ['anthropic', 'vertex-claude', 'bedrock-key'];
const PNG = 'iVBORw0KGgo=';
const JPEG = '/9j/4AAQSkZJRg==';

describe('F15: log probabilities of a stream', () => {
  it('pass on chunks without content, and on the finish', async () => {
    const gateway = await startProviders('shared capacity');
    const logprobs = (token: string) => ({
      content: [{ token, logprob: -0.1, bytes: [1], top_logprobs: [] }],
    });
    const chunk = (delta: object, token: string | null, finish_reason: string | null = null) => ({
      choices: [{ index: 0, delta, logprobs: token === null ? null : logprobs(token), finish_reason }],
    });
    gateway.alpha.plan('m', {
      chunks: [chunk({ content: 'a' }, 'a'), chunk({}, 'half'), chunk({}, 'end', 'stop')],
    });
    const { text } = await gateway.ask('streamed', { logprobs: true });
    const tokens = [...text.matchAll(/"token":"(\w+)"/g)].map(([, token]) => token);
    expect(tokens).toEqual(['a', 'half', 'end']);
  });
});

describe('F19: integers that no number holds', () => {
  const { gateway, plan } = onPlatforms();
  const SEED = '12345678901234567890';
  const MAX = '9223372036854775807';

  it.each([
    ['openai', [`"seed":${SEED}`, `"maximum":${MAX}`, `"minimum":-${MAX}`]],
    ['anthropic', [`"maximum":${MAX}`, `"minimum":-${MAX}`]],
    ['bedrock-key', [`"maximum":${MAX}`]],
    // Gemini's seeds have 32 bits: the lower ones are sent, and that is told.
    ['vertex-gemini', [`"seed":${BigInt.asIntN(32, BigInt(SEED))}`, `"maximum":${MAX}`]],
  ] as const)('reach %s digit by digit, in a small body and in a large one', async (slug, parts) => {
    plan(slug, {});
    for (const padding of ['', 'x'.repeat(600_000)]) {
      const answer = await post(slug, '"Hello"', padding);
      expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
      for (const part of parts) expect(lastOf(slug)).toContain(part);
    }
  });

  it.each(['openai', 'anthropic', 'bedrock-key', 'vertex-gemini'] as const)(
    'a text of control characters and digits reaches %s as that text',
    async (slug) => {
      plan(slug, {});
      const text = '\u0000int:1234567890123456789';
      for (const padding of ['', 'x'.repeat(600_000)]) {
        expect((await post(slug, JSON.stringify(text), padding)).status).toBe(200);
        expect(textsIn(JSON.parse(lastOf(slug)))).toContain(text);
      }
    },
  );

  it('are passed on of a body that is not as the contract writes it', async () => {
    plan('openai', {});
    const { rest, apiKey } = gateway();
    const schema = `{"type":"object","properties":{"n":{"type":"integer","minimum":-${MAX}}}}`;
    const tools = `[{"type":"function","function":{"name":"f","parameters":${schema}}}]`;
    const more = `"stream_options":null,"seed":${SEED},"tools":${tools}`;
    const body = `{"model":"openai/m","messages":[{"role":"user","content":"Hi"}],${more}}`;
    expect((await send(rest, apiKey, body)).status).toBe(200);
    expect(lastOf('openai')).toContain(`"seed":${SEED}`);
    expect(lastOf('openai')).toContain(`"minimum":-${MAX}`);
  });

  it('are passed on in JSON that a request carries as text: schemas, and arguments of tools', async () => {
    plan('bedrock-key', {});
    plan('openai', {});
    const { rest, apiKey } = gateway();
    const schema = `{"type":"object","properties":{"n":{"type":"integer","maximum":${MAX}}}}`;
    const format = `{"type":"json_schema","json_schema":{"name":"s","schema":${schema}}}`;
    const user = '{"role":"user","content":"Hi"}';
    const chat = `{"model":"bedrock-key/m","messages":[${user}],"response_format":${format}}`;
    expect((await send(rest, apiKey, chat)).status).toBe(200);
    expect(textsIn(JSON.parse(lastOf('bedrock-key'))).join()).toContain(`"maximum":${MAX}`);
    const used = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"n":${MAX}}}]}`;
    const result = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"1"}]}';
    const tools = '[{"name":"f","input_schema":{"type":"object"}}]';
    const messages = `{"model":"openai/m","max_tokens":9,"messages":[${user},${used},${result}],"tools":${tools}}`;
    expect((await send(rest, apiKey, messages, 'messages')).status).toBe(200);
    expect(textsIn(JSON.parse(lastOf('openai')))).toContain(`{"n":${MAX}}`);
  });

  it('a member that has to fit refuses one', async () => {
    const { rest, apiKey } = gateway();
    const body = `{"model":"openai/m","messages":[{"role":"user","content":"Hi"}],"max_tokens":${SEED}}`;
    const answer = await send(rest, apiKey, body);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('"field":"max_tokens"');
  });

  function post(slug: string, content: string, padding = ''): Promise<Response> {
    const { rest, apiKey } = gateway();
    const schema = `{"type":"object","properties":{"id":{"type":"integer","minimum":-${MAX},"maximum":${MAX}}}}`;
    const tools = `[{"type":"function","function":{"name":"f","parameters":${schema}}}]`;
    const body = `{"model":"${slug}/m","messages":[{"role":"user","content":${content}}],"seed": ${SEED},"tools":${tools},"metadata":{"padding":"${padding}"}}`;
    return send(rest, apiKey, body);
  }

  function send(rest: string, apiKey: string, body: string, path = 'chat/completions'): Promise<Response> {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    return fetch(`${rest}/${path}`, { method: 'POST', headers, body });
  }

  /** The body that the fake of the platform got last. */
  function lastOf(slug: 'openai' | 'anthropic' | 'bedrock-key' | 'vertex-gemini'): string {
    const { openai, anthropic, bedrock, vertex } = gateway().fakes;
    const fake = { openai, anthropic, 'bedrock-key': bedrock, 'vertex-gemini': vertex }[slug];
    return fake.requests.at(-1)?.text ?? '';
  }

  function textsIn(json: unknown): string[] {
    if (typeof json === 'string') return [json];
    return typeof json === 'object' && json !== null ? Object.values(json).flatMap(textsIn) : [];
  }
});

describe('F19: the older `functions`', () => {
  const { ask, sent } = onPlatforms();
  const messages = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
    { role: 'function', name: 'f', content: 'Rain' },
  ];
  const functions = [{ name: 'f', parameters: { type: 'object' } }];

  it('pass with their messages where the provider speaks this format', async () => {
    expect((await ask('openai', { messages, functions })).error).toBeUndefined();
    expect(sent('openai')).toMatchObject({ messages, functions });
  });

  it.each([...CLAUDES, 'vertex-gemini'])('reach %s as tools, with their calls and results', async (slug) => {
    expect((await ask(slug, { messages, functions })).error).toBeUndefined();
    const reached = JSON.stringify(sent(slug));
    expect(reached).toContain('Rain');
    expect(reached).toMatch(/"tool_use"|"toolUse"|"functionCall"/);
    expect(reached).toMatch(/"input_schema"|"inputSchema"|"functionDeclarations"/);
  });
});

describe('F19: several choices', () => {
  const piece = (index: number, delta: object, finish_reason: string | null = null) => ({
    choices: [{ index, delta, finish_reason }],
  });

  it('a stream that breaks between them is not complete', async () => {
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', {
      chunks: [
        piece(0, { content: 'one' }),
        piece(0, {}, 'stop'),
        ...Array(9).fill(piece(1, { content: '' })),
      ],
      cutAfterBytes: 250,
    });
    const heard = await gateway.ask('streamed', { n: 2 });
    expect(heard).toMatchObject({ error: { code: 502 }, isDone: false });
    expect(heard.text).toContain('"index":1,"delta":{},"finish_reason":"error"');
  });

  it('a slow second one is waited for', async () => {
    const gateway = await startProviders('shared capacity');
    const chunks = [piece(0, { content: 'one' }), piece(0, {}, 'stop'), piece(1, { content: 'two' }, 'stop')];
    gateway.alpha.plan('m', { chunks, paceMs: 3_000 });
    expect((await gateway.ask('streamed', { n: 2 })).text).toContain('two');
  }, 30_000);

  it('a provider that gives only one has given all', async () => {
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', { chunks: [piece(0, { content: 'one' }, 'stop')] });
    expect(await gateway.ask('streamed', { n: 2 })).toMatchObject({
      error: null,
      content: 'one',
      isDone: true,
    });
  });
});

describe('F19: media', () => {
  const { ask, sent } = onPlatforms();
  const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });
  const file = (file_data: string, filename: string) => ({ type: 'file', file: { file_data, filename } });
  const text = { type: 'text', text: 'Read it.' };

  it.each(CLAUDES)('`image/jpg` is an image of JPEG, at %s', async (slug) => {
    expect((await ask(slug, user(image(`data:image/jpg;base64,${JPEG}`)))).error).toBeUndefined();
    expect(JSON.stringify(sent(slug))).toMatch(/"image\/jpeg"|"format":"jpeg"/);
  });

  it('`image/jpg` is one at Gemini too', async () => {
    await ask('vertex-gemini', user(image(`data:image/jpg;base64,${JPEG}`)));
    expect(JSON.stringify(sent('vertex-gemini'))).toContain('"mimeType":"image/jpeg"');
  });

  it('a file in base64 without a media type is what its name says', async () => {
    const markdown = Buffer.from('# Title').toString('base64');
    await ask('anthropic', user(file(markdown, 'notes.md'), text));
    expect(JSON.stringify(sent('anthropic'))).toContain('"media_type":"text/plain","data":"# Title"');
    await ask('bedrock-key', user(file(markdown, 'notes.md'), text));
    expect(JSON.stringify(sent('bedrock-key'))).toContain('"format":"md"');
    await ask('vertex-gemini', user(file(markdown, 'notes.md'), text));
    expect(JSON.stringify(sent('vertex-gemini'))).toContain('"mimeType":"text/markdown"');
  });

  it.each(CLAUDES)('an image in a system message is refused at %s, which names it', async (slug) => {
    const messages = [
      { role: 'system', content: [text, image(`data:image/png;base64,${PNG}`)] },
      { role: 'user', content: 'Hi' },
    ];
    expect((await ask(slug, { messages })).error).toMatchObject({
      code: 400,
      message: expect.stringContaining('image_url in a system message'),
    });
  });
});

describe('F19: an answer in the older completions format', () => {
  it('has its text, whole and streamed', async () => {
    const gateway = await startProviders('shared capacity');
    const piece = (text: string, finish_reason: string | null = null) => ({
      object: 'text_completion',
      choices: [{ index: 0, text, logprobs: null, finish_reason }],
    });
    // https://github.com/abetlen/llama-cpp-python/issues/133
    gateway.alpha.plan('m', {
      chunks: [piece('Par'), piece('is'), piece('', 'stop')],
      answer: piece('Paris', 'stop'),
    });
    expect(await gateway.ask('streamed')).toMatchObject({ content: 'Paris', provider: 'alpha' });
    expect(await gateway.ask('in one piece')).toMatchObject({ content: 'Paris', provider: 'alpha' });
  });
});

describe('F19: Bedrock’s tiers', () => {
  const { gateway, sent } = onPlatforms();

  it.each([
    [{ service_tier: 'flex' }, { serviceTier: { type: 'flex' } }],
    [{ serviceTier: { type: 'reserved' } }, { serviceTier: { type: 'reserved' } }],
    [{ performanceConfig: { latency: 'optimized' } }, { performanceConfig: { latency: 'optimized' } }],
  ])('%j reach it', async (more, members) => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const use = caller(gateway(), gateway().apiKey);
    const { status } = await use('POST', '/chat/completions', { model: 'bedrock-key/m', messages, ...more });
    expect(status).toBe(200);
    expect(sent('bedrock-key') as Row).toMatchObject(members);
  });
});
