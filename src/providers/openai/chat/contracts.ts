/**
 * What each host that speaks OpenAI's chat format takes of a chat, beside its quirks. Where each fact is from, and how sure it is:
 * `docs/providers/openai-compatible.md#contracts`. A row says what differs from a host that is strict in nothing.
 */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { HostName } from './hosts.js';

type Rules = Partial<ChatContract>;

interface ContractRow {
  readonly contract: Rules;
  /** Of models, over those of the host; of all whose id matches, the later ones win. */
  readonly models?: readonly { readonly id: RegExp; readonly contract: Rules }[];
}

/** What nearly all of them copy from OpenAI. */
const COPY: Rules = {
  pairedCalls: true,
  extraMembers: false,
  emptyContents: 'none',
  emptyTools: false,
  toolNames: 'plain',
  maxToolName: 64,
  toolChoices: ['none', 'auto', 'required', 'function'],
  images: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
};

/** What OpenAI's models refuse while they think. */
const SAMPLING = [
  ...['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'],
  ...['logprobs', 'top_logprobs', 'logit_bias'],
];

/** Those that can answer without thinking, which then take all of it, are told so by the request. */
const REASONING_MODELS: ContractRow['models'] = [
  { id: /(?:^|\/)(?:o\d|gpt-5(?!.*chat)|gpt-oss)/, contract: { thinksByDefault: true } },
  { id: /(?:^|\/)(?:o\d|gpt-5(?!.*chat))/, contract: { notWhileThinking: SAMPLING } },
  { id: /(?:^|\/)(?:o[134]|gpt-5(?!.*chat))/, contract: { notWhileThinking: [...SAMPLING, 'stop'] } },
];

const OPENAI: ContractRow = {
  contract: {
    ...COPY,
    maxCallId: 40,
    emptyContents: 'text',
    names: 'plain',
    rootUnions: false,
    toolChoices: ['none', 'auto', 'required', 'function', 'allowed'],
    jsonByWord: true,
    maxStops: 4,
    maxTemperature: 2,
  },
  ...(REASONING_MODELS && { models: REASONING_MODELS }),
};

const MOONSHOT: ContractRow = {
  contract: {
    ...COPY,
    names: 'plain',
    rootUnions: false,
    booleanSchemas: false,
    schemaSiblings: false,
    maxTemperature: 1,
  },
  models: [
    {
      id: /kimi-k(?:2\.[5-9]|[3-9])/,
      contract: { thinksByDefault: true, thoughtsRequired: 'all', forcedWhileThinking: false },
    },
    {
      id: /kimi-k2-thinking/,
      contract: {
        thinksByDefault: true,
        thinkingStops: false,
        thoughtsRequired: 'all',
        forcedWhileThinking: false,
      },
    },
  ],
};

const ALIBABA: ContractRow = {
  contract: { ...COPY, jsonByWord: true, maxTemperature: 2 },
  models: [
    { id: /qwen3|qwq|qvq|glm|deepseek|kimi/, contract: { forcedWhileThinking: false } },
    { id: /thinking|qwq|qvq/, contract: { thinksByDefault: true, thinkingStops: false } },
  ],
};

export const CONTRACTS: Readonly<Record<HostName, ContractRow>> = {
  alibaba: ALIBABA,
  'alibaba-cn': ALIBABA,
  azure: OPENAI,
  cerebras: { contract: { ...COPY, formatWithTools: false, maxStops: 4 } },
  deepseek: {
    contract: {
      ...COPY,
      parts: [],
      schemaFormat: false,
      jsonByWord: true,
      maxStops: 16,
      maxTemperature: 2,
      forcedWhileThinking: false,
      thoughtsRequired: 'turn',
      notWhileThinking: ['logprobs', 'top_logprobs'],
    },
    models: [{ id: /deepseek-(?:r1|reasoner|v4)/, contract: { thinksByDefault: true } }],
  },
  fireworks: { contract: { ...COPY, maxStops: 4 } },
  'google-ai-studio': {
    contract: {
      ...COPY,
      toolNames: 'dotted',
      toolNameStart: 'word',
      images: ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif'],
      maxStops: 5,
    },
    models: [
      { id: /gemini-[12]/, contract: { formatWithTools: false } },
      { id: /gemini-(?:[3-9]|flash-latest|pro-latest|flash-lite-latest)/, contract: { signedCalls: true } },
    ],
  },
  'google-vertex': { contract: COPY },
  groq: {
    contract: {
      ...COPY,
      names: 'none',
      formatWithTools: false,
      maxStops: 4,
      maxChoices: 1,
      maxTemperature: 2,
    },
  },
  mistral: {
    contract: {
      ...COPY,
      callIds: 'nine',
      system: 'start',
      assistantAfterResults: true,
      prefill: 'prefix',
      names: 'none',
      maxTemperature: 1.5,
    },
  },
  moonshotai: MOONSHOT,
  'moonshotai-cn': MOONSHOT,
  openai: OPENAI,
  openrouter: { contract: { images: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] } },
  perplexity: {
    contract: {
      ...COPY,
      system: 'one',
      alternates: true,
      userFirst: true,
      prefill: 'refused',
      names: 'none',
    },
  },
  together: { contract: COPY },
  xai: {
    contract: { ...COPY, maxStops: 4, maxTemperature: 2 },
    models: [
      {
        id: /grok-(?:4|build)(?!.*non-reasoning)/,
        contract: {
          thinksByDefault: true,
          thinkingStops: false,
          notWhileThinking: ['presence_penalty', 'frequency_penalty', 'stop'],
        },
      },
    ],
  },
  'z-ai': {
    contract: { ...COPY, toolChoices: ['auto', 'none'], schemaFormat: false, maxStops: 1, maxTemperature: 1 },
    models: [{ id: /glm-(?:4\.[5-9]|5)/, contract: { thinksByDefault: true } }],
  },
};
