import {
  type BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BedrockAccessKey } from '../../../src/byok/kinds/amazon-bedrock.js';
import { normalizedOf } from '../../../src/inference/ports/adapter.js';
import { encodePathSegment, sign } from '../../../src/providers/amazon-bedrock/host/sigv4.js';
import {
  FAKE_ACCESS_KEY,
  FAKE_API_KEY,
  FAKE_REGION,
  startFakeBedrock,
} from '../../support/fakes/fake-bedrock.js';
import {
  API_KEY,
  type CallOptions,
  CLAUDE,
  callTo,
  eventsOf,
  startAdapter,
  textIn,
} from './adapter.fixture.js';
import { officialClient, type Proof } from './official-client.fixture.js';
import { PNG, REQUESTS } from './requests.fixture.js';

const INPUT: ConverseCommandInput = {
  modelId: CLAUDE,
  messages: [{ role: 'user', content: [{ text: 'Hello there' }] }],
};
const CONTENT = 'Grüezi mitenand 👋🏽!';

function client(endpoint: string, proof?: Proof): BedrockRuntimeClient {
  const made = officialClient(endpoint, proof);
  onTestFinished(() => made.destroy());
  return made;
}

async function streamed(pending: BedrockRuntimeClient, input: ConverseCommandInput) {
  const events = [];
  const { stream } = await pending.send(new ConverseStreamCommand(input));
  for await (const event of stream ?? []) events.push(event);
  return events;
}

describe('the fake is a Bedrock for the official client', () => {
  const proofs: [string, Proof][] = [
    ['an access key', FAKE_ACCESS_KEY],
    ['a bare key', { apiKey: FAKE_API_KEY }],
  ];

  it.each(proofs)('answers in one piece, to %s', async (_, proof) => {
    const fake = await startFakeBedrock();
    const answer = await client(fake.baseUrl, proof).send(new ConverseCommand(INPUT));
    expect(answer.output?.message?.content).toEqual([{ text: CONTENT }]);
    expect(answer).toMatchObject({ stopReason: 'end_turn', usage: { outputTokens: 4 } });
  });

  it.each(proofs)('streams, to %s', async (_, proof) => {
    const fake = await startFakeBedrock();
    const events = await streamed(client(fake.baseUrl, proof), INPUT);
    expect(events.map((event) => event.contentBlockDelta?.delta?.text ?? '').join('')).toBe(CONTENT);
    expect(events.map((event) => Object.keys(event)[0])).toEqual([
      'messageStart',
      ...Array(4).fill('contentBlockDelta'),
      'contentBlockStop',
      'messageStop',
      'metadata',
    ]);
    expect(events.at(-1)).toMatchObject({ metadata: { usage: { outputTokens: 4 } } });
  });

  it('calls tools and thinks', async () => {
    const fake = await startFakeBedrock();
    fake.plan(CLAUDE, { reasoning: ['Hm,', ' well'], toolCalls: 2 });
    const json = { type: 'object', properties: {} };
    const toolConfig = { tools: [{ toolSpec: { name: 'weather', inputSchema: { json } } }] };
    const answer = await client(fake.baseUrl).send(new ConverseCommand({ ...INPUT, toolConfig }));
    expect(answer.stopReason).toBe('tool_use');
    expect(answer.output?.message?.content).toMatchObject([
      { reasoningContent: { reasoningText: { text: 'Hm, well', signature: expect.any(String) } } },
      { toolUse: { toolUseId: 'tooluse_fake1', name: 'weather', input: { city: 'Zürich' } } },
      { toolUse: { toolUseId: 'tooluse_fake2' } },
    ]);
    const events = await streamed(client(fake.baseUrl), { ...INPUT, toolConfig });
    expect(events.map((event) => event.contentBlockDelta?.delta?.toolUse?.input ?? '').join('')).toBe(
      '{"city":"Zürich"}'.repeat(2),
    );
  });

  it('breaks off with an exception in the stream', async () => {
    const fake = await startFakeBedrock();
    const message = 'Too many tokens, please wait before trying again.';
    fake.plan(CLAUDE, {
      frames: [
        { event: 'messageStart', payload: { role: 'assistant' } },
        { exception: 'throttlingException', payload: { message } },
      ],
    });
    await expect(streamed(client(fake.baseUrl), INPUT)).rejects.toMatchObject({
      name: 'ThrottlingException',
      message,
    });
  });

  it.each<[string, Proof, Partial<ConverseCommandInput>, string, RegExp]>([
    ['a wrong secret', { secretAccessKey: 'wrong' }, {}, 'InvalidSignatureException', /does not match/],
    ['a wrong key', { apiKey: 'ABSK-wrong' }, {}, 'Unknown', /Authentication failed/],
    ['an unknown model', FAKE_ACCESS_KEY, { modelId: 'no-such-model' }, 'ValidationException', /identifier/],
    [
      'a conversation that the assistant begins',
      FAKE_ACCESS_KEY,
      { messages: [{ role: 'assistant', content: [{ text: 'Hi' }] }] },
      'ValidationException',
      /start with a user message/,
    ],
  ])('refuses %s', async (_, proof, more, name, message) => {
    const fake = await startFakeBedrock();
    const pending = client(fake.baseUrl, proof).send(new ConverseCommand({ ...INPUT, ...more }));
    await expect(pending).rejects.toMatchObject({ name, message: expect.stringMatching(message) });
  });
});

describe('the adapter sends what the official client sends', () => {
  it.each(REQUESTS)('in one piece and streamed, with %s', async (_, body, input) => {
    const fake = await startFakeBedrock();
    const adapter = startAdapter(Date.now());
    await adapter.complete(callTo(fake.baseUrl, { body }));
    await client(fake.baseUrl).send(new ConverseCommand({ ...INPUT, ...input }));
    expect((await eventsOf(adapter.stream(callTo(fake.baseUrl, { body })))).thrown).toBeUndefined();
    await streamed(client(fake.baseUrl), { ...INPUT, ...input });
    const [ours, theirs, oursStreamed, theirsStreamed] = fake.requests;
    expect(ours?.body).toEqual(theirs?.body);
    expect(ours?.path).toBe(theirs?.path);
    expect(ours?.headers['content-type']).toBe(theirs?.headers['content-type']);
    expect(oursStreamed?.body).toEqual(theirsStreamed?.body);
    expect(oursStreamed?.path).toBe(theirsStreamed?.path);
  });

  it.each([
    CLAUDE,
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'meta.llama3',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-3-7-sonnet-20250219-v1:0',
    "odd/model!'()*:~id",
  ])('with the model %s in the path', async (model) => {
    const fake = await startFakeBedrock();
    await startAdapter(Date.now()).complete(callTo(fake.baseUrl, { model }));
    await client(fake.baseUrl).send(new ConverseCommand({ ...INPUT, modelId: model }));
    expect(fake.requests[0]?.path).toBe(fake.requests[1]?.path);
    expect(fake.requests[0]?.modelId).toBe(model);
    expect(fake.requests[0]?.path).toContain(encodePathSegment(model));
  });

  it('with a bare key', async () => {
    const fake = await startFakeBedrock();
    await startAdapter(Date.now()).complete(callTo(fake.baseUrl, { credential: API_KEY }));
    await client(fake.baseUrl, { apiKey: FAKE_API_KEY }).send(new ConverseCommand(INPUT));
    const [ours, theirs] = fake.requests;
    expect(ours?.headers.authorization).toBe(theirs?.headers.authorization);
    expect(ours?.headers['x-amz-date']).toBe(theirs?.headers['x-amz-date']);
  });

  it.each([
    ['a long-term key', FAKE_ACCESS_KEY, CLAUDE],
    ['an ARN', FAKE_ACCESS_KEY, 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.meta.llama:0'],
    ['another secret', { secretAccessKey: 'another/secret' }, CLAUDE],
  ])('and signs to the same signature in the same instant, with %s', async (_, proof, modelId) => {
    const fake = await startFakeBedrock();
    await client(fake.baseUrl, proof)
      .send(new ConverseCommand({ ...INPUT, modelId }))
      .catch(() => undefined);
    const [theirs] = fake.requests;
    if (theirs === undefined) throw new Error('nothing was sent');
    const authorization = String(theirs.headers.authorization);
    const names = (/SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '').split(';');
    const own = new Set(['host', 'x-amz-date', 'x-amz-content-sha256']);
    const headers = Object.fromEntries(
      names.filter((name) => !own.has(name)).map((name) => [name, String(theirs.headers[name])]),
    );
    const at = String(theirs.headers['x-amz-date']).replace(
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
      '$1-$2-$3T$4:$5:$6Z',
    );
    const credential: BedrockAccessKey = {
      adapter: 'amazon-bedrock',
      kind: 'access_key',
      ...FAKE_ACCESS_KEY,
      ...proof,
      region: FAKE_REGION,
    };
    const url = new URL(theirs.path, fake.baseUrl);
    const ours = sign({ url, headers, body: theirs.text }, credential, FAKE_REGION, Date.parse(at));
    expect(ours.authorization).toBe(authorization);
    expect(ours['x-amz-content-sha256']).toBe(theirs.headers['x-amz-content-sha256']);
  });
});

describe('the adapter reads what the official client reads', () => {
  it.each<[string, CallOptions['body']]>([
    ['words', {}],
    ['a short answer', { max_tokens: 1 }],
    ['tool calls', { tools: [{ type: 'function', function: { name: 'weather' } }] }],
  ])('%s, in one piece and streamed', async (_, body = {}) => {
    const fake = await startFakeBedrock();
    fake.plan(CLAUDE, {
      reasoning: ['Hm,', ' well'],
      words: ['Yes', ' indeed'],
      redacted: PNG,
      toolCalls: 2,
    });
    const adapter = startAdapter(Date.now());
    const call = callTo(fake.baseUrl, { body });
    const whole = normalizedOf(await adapter.complete(call));
    const { events, thrown } = await eventsOf(adapter.stream(call));
    const [choice] = whole.choices;
    expect(thrown).toBeUndefined();
    expect(textIn(events)).toBe(choice?.message.content ?? '');
    expect(textIn(events, 'reasoning')).toBe('Hm, well');
    expect(choice?.message.reasoning).toBe('Hm, well');
    expect(events.find(({ type }) => type === 'finish')).toMatchObject({
      reason: choice?.finish_reason,
      nativeReason: choice?.native_finish_reason,
    });
    expect(events.at(-1)).toEqual({ type: 'usage', usage: whole.usage });
  });
});
