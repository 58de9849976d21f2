import { describe, expect, it } from 'vitest';
import type { UpstreamEvent } from '../../../src/inference/ports/adapter.js';
import { readGeminiAnswer } from '../../../src/providers/google-vertex/chat/gemini/answer.js';
import { GeminiReader } from '../../../src/providers/google-vertex/chat/gemini/events.js';
import { startTable } from './adapter.fixture.js';

const candidate = (parts: readonly object[], more: object = { finishReason: 'STOP' }) => ({
  content: { role: 'model', parts },
  ...more,
});
const answered = (parts: readonly object[], more?: object) =>
  readGeminiAnswer({ candidates: [candidate(parts, more)], responseId: 'abc' });
const weather = (args?: object, more: object = {}) => ({
  functionCall: { name: 'weather', ...(args && { args }), ...more },
});

describe('why an answer ended', () => {
  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['A_WORD_OF_TOMORROW', 'stop'],
  ])('%s is %s', (finishReason, reason) => {
    const [choice] = answered([{ text: 'x' }], { finishReason }).choices;
    expect(choice).toMatchObject({ finish_reason: reason, native_finish_reason: finishReason });
  });

  it('is tool_calls where it called a tool, for which Google sends STOP', () => {
    expect(answered([weather()]).choices[0]?.finish_reason).toBe('tool_calls');
    expect(answered([weather()], { finishReason: 'MAX_TOKENS' }).choices[0]?.finish_reason).toBe('length');
  });

  it.each([
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'TOO_MANY_TOOL_CALLS',
    'MISSING_THOUGHT_SIGNATURE',
  ])('%s is a failure of the model, which does not count against the endpoint', (finishReason) => {
    const failing = () => answered([], { finishReason, finishMessage: 'print(weather' });
    expect(failing).toThrow(`${finishReason}: print(weather`);
    expect(failing).toThrow(
      expect.objectContaining({ kind: 'upstream_error', error: 'malformed', isPenalised: false }),
    );
  });

  it.each(['OTHER', 'NO_IMAGE'])('%s is a failure', (finishReason) => {
    expect(() => answered([{ text: 'x' }], { finishReason })).toThrow(
      expect.objectContaining({ error: 'truncated' }),
    );
  });

  it('is missing in a truncated answer', () => {
    expect(() => answered([{ text: 'x' }], {})).toThrow(expect.objectContaining({ error: 'truncated' }));
  });

  it.each([undefined, [], 'text', {}, { candidates: 'none' }])(
    'is missing in what is no answer: %j',
    (answer) => {
      expect(() => readGeminiAnswer(answer)).toThrow(expect.objectContaining({ error: 'malformed' }));
    },
  );
});

describe('a prompt that is refused (ends the plan)', () => {
  const blocked = {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
  };

  it('is a content filter’s refusal', async () => {
    const failure = {
      kind: 'content_filter',
      message: 'The provider refused the prompt: PROHIBITED_CONTENT',
    };
    const { complete, stream } = await startTable({ answer: blocked, chunks: [blocked] });
    await expect(complete()).rejects.toMatchObject(failure);
    expect((await stream()).thrown).toMatchObject(failure);
  });

  it('has Google’s message', () => {
    const promptFeedback = { blockReason: 'MODEL_ARMOR', blockReasonMessage: 'Blocked by template' };
    expect(() => readGeminiAnswer({ promptFeedback })).toThrow('Blocked by template');
  });
});

describe('the content of an answer', () => {
  it('is text, separate from thoughts', () => {
    const parts = [
      { text: 'Hm', thought: true },
      { text: 'A' },
      { text: ' well', thought: true },
      { text: 'B' },
    ];
    expect(answered(parts).choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'AB',
      refusal: null,
      reasoning: 'Hm well',
    });
  });

  it('may be empty', () => {
    const { message } = readGeminiAnswer({ candidates: [{ finishReason: 'STOP' }] }).choices[0] ?? {};
    expect(message).toEqual({ role: 'assistant', content: '', refusal: null });
  });

  it('is whole calls, each with an id of its own and its arguments as text', () => {
    const { message } =
      answered([weather({ city: 'Bern' }), weather(), weather({}, { id: 'theirs' })]).choices[0] ?? {};
    expect(message?.content).toBeNull();
    expect(message?.tool_calls).toEqual([
      { id: 'call_abc_0', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
      { id: 'call_abc_1', type: 'function', function: { name: 'weather', arguments: '{}' } },
      { id: 'theirs', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ]);
  });

  it('has ids that no other choice has', () => {
    const candidates = [0, 1].map((index) => candidate([weather()], { index, finishReason: 'STOP' }));
    const { choices } = readGeminiAnswer({ candidates, responseId: '/+'.repeat(40) });
    const ids = choices.map(({ message }) => message.tool_calls?.[0]?.id);
    const own = expect.stringMatching(/^[A-Za-z0-9_-]{16,40}$/);
    expect([ids, new Set(ids).size]).toEqual([[own, own], 2]);
  });

  it('keeps signatures, with the calls that they belong to', () => {
    const parts = [
      { text: 'A', thoughtSignature: 's0' },
      { ...weather(), thoughtSignature: 's1' },
      weather(),
    ];
    expect(answered(parts).choices[0]?.message.reasoning_details).toEqual([
      { type: 'reasoning.encrypted', data: 's0', format: 'google-gemini-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 's1', id: 'call_abc_0', format: 'google-gemini-v1', index: 1 },
    ]);
  });

  it('may be images and audio', () => {
    const parts = [
      { inlineData: { mimeType: 'image/png', data: 'AA==' } },
      { inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: 'BB==' } },
    ];
    expect(answered(parts).choices[0]?.message).toMatchObject({
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' }, index: 0 }],
      audio: { data: 'BB==', format: 'audio/L16;codec=pcm;rate=24000' },
    });
  });

  it('has the log probabilities of its tokens', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'é', logProbability: -0.5 }, { token: 'x' }],
      topCandidates: [
        {
          candidates: [
            { token: 'é', logProbability: -0.5 },
            { token: 'e', logProbability: -1 },
          ],
        },
      ],
    };
    const [choice] = answered([{ text: 'éx' }], { finishReason: 'STOP', logprobsResult }).choices;
    const first = { token: 'é', logprob: -0.5, bytes: [195, 169] };
    expect(choice?.logprobs).toEqual({
      content: [
        { ...first, top_logprobs: [first, { token: 'e', logprob: -1, bytes: [101] }] },
        { token: 'x', logprob: 0, bytes: [120], top_logprobs: [] },
      ],
      refusal: null,
    });
  });
});

describe('the usage of an answer', () => {
  const used = (...snapshots: readonly object[]) => {
    const reader = new GeminiReader();
    const events = snapshots.flatMap((usageMetadata): UpstreamEvent[] => reader.read({ usageMetadata }));
    return events.flatMap((event) => (event.type === 'usage' ? [event.usage] : [])).at(-1);
  };

  it.each([
    [
      'thoughts beside the text',
      [{ promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 7, totalTokenCount: 22 }],
      { promptTokens: 10, completionTokens: 12, reasoningTokens: 7 },
    ],
    [
      'thoughts inside it, as the total shows',
      [{ promptTokenCount: 10, candidatesTokenCount: 12, thoughtsTokenCount: 7, totalTokenCount: 22 }],
      { promptTokens: 10, completionTokens: 12, reasoningTokens: 7 },
    ],
    [
      'thoughts alone',
      [{ promptTokenCount: 10, thoughtsTokenCount: 7, totalTokenCount: 17 }],
      { promptTokens: 10, completionTokens: 7, reasoningTokens: 7 },
    ],
    [
      'the prompt of tools',
      [{ promptTokenCount: 10, toolUsePromptTokenCount: 4, candidatesTokenCount: 1, totalTokenCount: 15 }],
      { promptTokens: 14, completionTokens: 1 },
    ],
    [
      'caches and media',
      [
        {
          promptTokenCount: 100,
          cachedContentTokenCount: 40,
          candidatesTokenCount: 9,
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 20 },
            { modality: 'AUDIO', tokenCount: 50 },
            { modality: 'IMAGE', tokenCount: 30 },
          ],
          cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 40 }],
          candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 8 }],
        },
      ],
      {
        promptTokens: 100,
        cachedTokens: 40,
        audioTokens: 50,
        imageTokens: 30,
        cachedAudioTokens: 40,
        completionTokens: 9,
        completionAudioTokens: 8,
      },
    ],
    [
      'the latest of several snapshots, whatever it lacks',
      [
        { promptTokenCount: 10, thoughtsTokenCount: 3, totalTokenCount: 13 },
        { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 18 },
        { promptTokenCount: 0, candidatesTokenCount: 0, trafficType: 'ON_DEMAND' },
      ],
      { promptTokens: 10, completionTokens: 8, reasoningTokens: 3 },
    ],
    ['nothing said', [{ trafficType: 'ON_DEMAND' }], undefined],
    [
      'a reported 0',
      [{ promptTokenCount: 3, candidatesTokenCount: 0 }],
      { promptTokens: 3, completionTokens: 0 },
    ],
  ])('%s', (_, snapshots, usage) => {
    expect(used(...snapshots)).toEqual(usage);
  });
});
