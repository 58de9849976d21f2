import { ApiError, GoogleGenAI, ThinkingLevel } from '@google/genai';
import { describe, expect, it } from 'vitest';
import { PROJECT_ID } from '../../support/fakes/fake-vertex/account.js';
import { SIGNATURE } from '../../support/fakes/fake-vertex/answer.js';
import type { FakeRequest } from '../../support/fakes/fake-vertex/plan.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { assembled } from '../anthropic/adapter.fixture.js';
import { MODEL, startTable } from './adapter.fixture.js';
import { chatTools, SAME, tools } from './requests.fixture.js';

const contents = [{ role: 'user', parts: [{ text: 'Hello there' }] }];
/** The official client in its stable version. It gets a token, since its own token exchange can't be redirected. */
function client(baseUrl: string, token: string, location = 'global'): GoogleGenAI {
  const headers = { Authorization: `Bearer ${token}` };
  return new GoogleGenAI({
    vertexai: true,
    project: PROJECT_ID,
    location,
    httpOptions: { baseUrl, headers, apiVersion: 'v1' },
    googleAuthOptions: { authClient: unauthenticated() },
  });
}

/** The client only asks it for headers, of which it has none. */
function unauthenticated(): never {
  return { getRequestHeaders: async () => new Headers() } as never;
}

describe('the fake is a Vertex AI for the official client', () => {
  it('answers in one piece', async () => {
    const fake = await startFakeVertex();
    const answer = await client(fake.origin, fake.token()).models.generateContent({ model: MODEL, contents });
    expect(answer.text).toBe('Grüezi mitenand 👋🏽!');
    expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
    expect(answer.usageMetadata).toMatchObject({ candidatesTokenCount: 4 });
  });

  it('streams, thoughts and calls and all', async () => {
    const fake = await startFakeVertex();
    const config = { tools, thinkingConfig: { includeThoughts: true } };
    const params = { model: 'gemini-3.1-pro-preview', contents, config };
    const chunks = [];
    for await (const chunk of await client(fake.origin, fake.token()).models.generateContentStream(params)) {
      chunks.push(chunk);
    }
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    expect(parts).toEqual([
      { text: 'Hm,', thought: true },
      { text: ' well', thought: true },
      { functionCall: { name: 'weather', args: { city: 'Zürich' } }, thoughtSignature: SIGNATURE },
    ]);
    expect(chunks.at(-1)?.usageMetadata?.thoughtsTokenCount).toBe(2);
  });

  it.each([
    ['a token that nobody gave', 'ya29.wrong', {}, 401],
    ['a model that is not there', undefined, { model: 'gemini-no-such-model' }, 404],
    ['a turn without parts', undefined, { contents: [{ role: 'user', parts: [] }] }, 400],
    [
      'a level for a model without levels',
      undefined,
      { config: { thinkingConfig: { thinkingLevel: ThinkingLevel.LOW } } },
      400,
    ],
  ])('refuses %s', async (_, token, more, status) => {
    const fake = await startFakeVertex();
    const pending = client(fake.origin, token ?? fake.token()).models.generateContent({
      model: MODEL,
      contents,
      ...more,
    });
    const thrown = await pending.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ status });
  });
});

/** Without the empty configuration that the client always sends. */
function payloadOf(request: FakeRequest | undefined): object {
  const { generationConfig = {}, ...rest } = request?.body ?? {};
  return Object.keys(generationConfig).length > 0 ? { generationConfig, ...rest } : rest;
}

describe('the adapter sends what the official client sends', () => {
  it.each(SAME)('in one piece, with %s', async (_, { body, reasoning = null, model = MODEL, params }) => {
    const { fake, complete } = await startTable({}, model);
    await complete({ body, reasoning });
    await client(fake.origin, fake.token()).models.generateContent({ model, contents, ...params });
    const [ours, theirs] = fake.requests;
    expect(payloadOf(ours)).toEqual(payloadOf(theirs));
    expect(ours?.path).toBe(theirs?.path);
    expect(ours?.method).toBe(theirs?.method);
  });

  it.each(SAME)('streamed, with %s', async (_, { body, reasoning = null, model = MODEL, params }) => {
    const { fake, stream } = await startTable({}, model);
    expect((await stream({ body, reasoning })).thrown).toBeUndefined();
    const theirStream = await client(fake.origin, fake.token()).models.generateContentStream({
      model,
      contents,
      ...params,
    });
    for await (const _ of theirStream);
    const [ours, theirs] = fake.requests;
    expect(payloadOf(ours)).toEqual(payloadOf(theirs));
    expect(ours?.path).toBe(theirs?.path);
  });

  it('in a region', async () => {
    const { fake, complete } = await startTable();
    await complete({ region: 'europe-west4' });
    await client(fake.origin, fake.token(), 'europe-west4').models.generateContent({
      model: MODEL,
      contents,
    });
    expect(fake.requests[0]?.path).toBe(fake.requests[1]?.path);
    expect(fake.requests[0]?.path).toContain('/locations/europe-west4/');
  });

  it('and reads the same out of the answer, in one piece and streamed', async () => {
    for (const more of [{}, { max_tokens: 1 }, { tools: chatTools }, { n: 3 }, { logprobs: true }]) {
      const { complete, stream } = await startTable({}, 'gemini-3.1-pro-preview');
      const options = { body: more, reasoning: { isEnabled: true, effort: null, maxTokens: null } };
      const whole = await complete(options);
      const { events } = await stream(options);
      for (const { index, message, finish_reason } of whole.choices) {
        const own = events.filter((event) => 'index' in event && event.index === index);
        const { reasoning_details, tool_calls, ...content } = assembled(own);
        expect(content).toEqual({ content: message.content ?? '', reasoning: message.reasoning });
        expect(tool_calls).toEqual(index > 0 ? tool_calls : (message.tool_calls ?? []));
        expect(reasoning_details).toHaveLength(tool_calls.length);
        expect(own.find(({ type }) => type === 'finish')).toMatchObject({ reason: finish_reason });
      }
      expect(events.findLast(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage: whole.usage });
    }
  });
});
