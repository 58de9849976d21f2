/** Answers of every kind of provider with a text in every member: complete, streamed, and failing. */
import type { Platform } from '../../support/platforms.js';

/** The planted texts: in content, and in all other members. */
export interface Planted {
  readonly content: string;
  readonly member: string;
}

export type Plant = (planted: Planted) => object;

/** The JSON of answers to each kind of request in batches. */
export const BATCH_ANSWERS: Readonly<Record<'gemini' | 'claude', (planted: Planted) => unknown>> = {
  gemini: (planted) => answerIn(GEMINI, planted),
  claude: (planted) => answerIn(ANTHROPIC, planted),
};

function answerIn({ everywhere }: Readonly<Record<string, Plant>>, planted: Planted): unknown {
  const { answer }: { readonly answer?: unknown } = everywhere?.(planted) ?? {};
  return answer;
}

/** Plans for the platform's fake, by name. */
export function plantsOf({ slug, fake }: Platform): Readonly<Record<string, Plant>> {
  if (fake === 'bedrock') return BEDROCK;
  if (slug === 'vertex-gemini') return GEMINI;
  return /anthropic|claude/.test(slug) ? ANTHROPIC : OPENAI;
}

/** JSON texts stay JSON. */
export const args = ({ content }: Planted) => JSON.stringify({ key: content });
export const bytes = (text: string) => [...Buffer.from(text)];
export const deep = (member: string) => ({
  [member]: [{ [member]: member, more: [[member]] }],
  bytes: bytes(member),
});

function openAiMessage(planted: Planted, isPiece: boolean): object {
  const { content, member } = planted;
  const called = {
    id: member,
    type: member,
    function: { name: member, arguments: args(planted) },
    extra: member,
  };
  return {
    role: isPiece ? 'assistant' : member,
    content: `Well: ${content}`,
    refusal: content,
    reasoning_content: `Hm: ${content}`,
    reasoning_details: [{ type: member, text: content, signature: member, format: member }],
    annotations: [{ type: 'url_citation', url_citation: { url: `https://a/?k=${member}`, title: member } }],
    tool_calls: [{ ...(isPiece && { index: 0 }), ...called }],
    images: [{ type: member, image_url: { url: `data:${member};base64,${content}` } }],
    audio: { id: member, data: content, transcript: content },
    provider_specific_fields: deep(member),
    [member]: member,
  };
}

function openAiChoice(planted: Planted, isPiece: boolean, finish_reason: string | null): object {
  const { member } = planted;
  const token = { token: member, logprob: -1, bytes: bytes(member), top_logprobs: [] };
  return {
    index: 0,
    [isPiece ? 'delta' : 'message']: openAiMessage(planted, isPiece),
    finish_reason,
    logprobs: { content: [token], refusal: null, [member]: member },
  };
}

const openAiHead = (member: string) => ({
  id: member,
  object: 'chat.completion',
  model: member,
  system_fingerprint: member,
  service_tier: member,
  [member]: member,
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, [member]: member },
});

const OPENAI: Readonly<Record<string, Plant>> = {
  everywhere: (planted) => {
    const { member } = planted;
    const head = openAiHead(member);
    return {
      answer: { ...head, choices: [openAiChoice(planted, false, member)] },
      chunks: [
        { ...head, choices: [openAiChoice(planted, true, null)] },
        { ...head, choices: [{ index: 0, delta: {}, finish_reason: member }] },
      ],
    };
  },
  'in an error': ({ member }) => {
    const error = { error: { message: member, type: member, code: member, metadata: deep(member) } };
    return { answer: error, chunks: [{ choices: [{ index: 0, delta: { content: 'Well' } }] }, error] };
  },
};

function anthropicBlocks(planted: Planted): object[] {
  const { content, member } = planted;
  return [
    { type: 'thinking', thinking: `Hm: ${content}`, signature: member },
    { type: 'redacted_thinking', data: member },
    { type: 'text', text: `Well: ${content}`, citations: [{ type: member, url: member }] },
    { type: 'tool_use', id: member, name: member, input: { key: content } },
  ];
}

const ANTHROPIC: Readonly<Record<string, Plant>> = {
  everywhere: (planted) => {
    const { content, member } = planted;
    const usage = { input_tokens: 1, output_tokens: 2, service_tier: member, [member]: member };
    const ended = { stop_reason: member, stop_sequence: member, stop_details: { explanation: content } };
    const head = { id: member, type: 'message', role: 'assistant', model: member, usage, ...deep(member) };
    const input = { type: 'input_json_delta', partial_json: args(planted) };
    return {
      answer: { ...head, ...ended, content: anthropicBlocks(planted) },
      events: [
        { type: 'message_start', message: { ...head, content: [] } },
        ...anthropicBlocks(planted).map((content_block, index) => ({
          type: 'content_block_start',
          index,
          content_block,
        })),
        { type: 'content_block_delta', index: 3, delta: input },
        { type: 'message_delta', delta: ended, usage },
        { type: 'message_stop' },
      ],
    };
  },
  'in an error': ({ member }) => {
    const error = {
      type: 'error',
      error: { type: member, message: member, details: { error_code: member } },
    };
    const delta = { type: 'text_delta', text: 'Well' };
    return { answer: error, events: [{ type: 'content_block_delta', index: 0, delta }, error] };
  },
};
// Anthropic's models at Vertex AI have plans of their own, with other names of events.
const withChunks =
  (plant: Plant): Plant =>
  (planted) => {
    const plan: { readonly events?: readonly object[] } = plant(planted);
    return { ...plan, chunks: plan.events };
  };
Object.assign(
  ANTHROPIC,
  Object.fromEntries(Object.entries(ANTHROPIC).map(([name, plant]) => [name, withChunks(plant)])),
);

const BEDROCK: Readonly<Record<string, Plant>> = {
  everywhere: ({ content, member }) => {
    const toolUse = { toolUseId: member, name: member };
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, [member]: member };
    const event = (type: string, payload: object) => ({ event: type, payload });
    const delta = (contentBlockIndex: number, text: object) =>
      event('contentBlockDelta', { contentBlockIndex, delta: text });
    return {
      answer: {
        output: {
          message: {
            role: member,
            content: [
              { reasoningContent: { reasoningText: { text: `Hm: ${content}`, signature: member } } },
              { reasoningContent: { redactedContent: member } },
              { text: `Well: ${content}` },
              { toolUse: { ...toolUse, input: { key: content } } },
            ],
          },
        },
        stopReason: member,
        usage,
        trace: deep(member),
        additionalModelResponseFields: deep(member),
      },
      frames: [
        event('messageStart', { role: member, p: member }),
        delta(0, { reasoningContent: { text: `Hm: ${content}` } }),
        delta(0, { reasoningContent: { signature: member } }),
        delta(1, { reasoningContent: { redactedContent: member } }),
        delta(2, { text: `Well: ${content}` }),
        event('contentBlockStart', { contentBlockIndex: 3, start: { toolUse } }),
        delta(3, { toolUse: { input: JSON.stringify({ key: content }) } }),
        event('messageStop', { stopReason: member, additionalModelResponseFields: deep(member) }),
        event('metadata', { usage, trace: deep(member) }),
      ],
    };
  },
  'in an error': ({ member }) => ({
    status: 424,
    headers: { 'x-amzn-errortype': 'ModelErrorException' },
    body: { message: member, originalMessage: member, resourceName: member },
  }),
};

const GEMINI: Readonly<Record<string, Plant>> = {
  everywhere: ({ content, member }) => {
    const text = {
      responseId: member,
      modelVersion: member,
      ...deep(member),
      candidates: [
        {
          content: {
            role: member,
            parts: [
              { text: `Hm: ${content}`, thought: true, thoughtSignature: member },
              { text: `Well: ${content}`, thoughtSignature: member },
              {
                functionCall: { id: member, name: member, args: { key: content } },
                thoughtSignature: member,
              },
              { functionCall: { name: member, args: {} } },
              { inlineData: { mimeType: member, data: content } },
              { inlineData: { mimeType: `audio/${member}`, data: content } },
            ],
          },
          finishReason: member,
          finishMessage: member,
          citationMetadata: deep(member),
          logprobsResult: {
            chosenCandidates: [{ token: member, logProbability: -1 }],
            topCandidates: [{ candidates: [{ token: member, logProbability: -1 }] }],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, [member]: member },
    };
    return { answer: text, chunks: [text] };
  },
  'in an error': ({ member }) => {
    const finished = { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: member };
    return {
      answer: { promptFeedback: { blockReason: member, blockReasonMessage: member } },
      chunks: [
        { candidates: [{ content: { parts: [{ text: 'Well' }] } }] },
        { candidates: [{ content: { parts: [] }, ...finished }] },
      ],
    };
  },
};
