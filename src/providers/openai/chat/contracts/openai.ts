/** What OpenAI takes of a chat, by its own API and Azure's. */
import { COPY, type ContractRow, fact, type ModelFacts } from './fact.js';

const TYPES = 'npm openai 6.49.0';
const EFFORTS = 'https://learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort';
const PARAMETERS =
  'https://community.openai.com/t/developer-role-not-accepted-for-o1-o1-mini-o3-mini/1110750/7';
const TOOLS_OR_REASONING =
  'https://github.com/openai/openai-openapi/issues/541; https://github.com/BerriAI/litellm/pull/34569';

const FACTS: ContractRow['facts'] = [
  COPY,
  fact(`${TYPES} ChatCompletionCreateParams`, 'typed', {
    refusals: true,
    functions: true,
    emptyContents: 'text',
    toolChoices: ['none', 'auto', 'required', 'function', 'allowed'],
    maxStops: 4,
    maxTemperature: 2,
    maxTopLogprobs: 20,
  }),
  fact('https://github.com/vercel/ai/issues/5171', 'reported', { maxCallId: 40 }),
  fact('https://github.com/jekalmin/extended_openai_conversation/issues/251', 'reported', { names: 'plain' }),
  fact('https://github.com/OpenHands/OpenHands/issues/7700', 'reported', {
    userParts: ['text', 'image_url', 'input_audio', 'file'],
  }),
  fact('https://github.com/vishalmysore/Tools4AI/issues/16', 'reported', { maxTools: 128 }),
  fact('https://github.com/langchain-ai/langchainjs/issues/9804', 'reported', { rootUnions: false }),
  fact('https://github.com/getsentry/sentry-mcp/issues/106', 'reported', { maxToolDescription: 1024 }),
  fact(
    "public code that quotes In context=('properties', 'identifiers'), array schema missing items.",
    'reported',
    {
      arraysOfItems: true,
    },
  ),
  fact('https://developers.openai.com/api/docs/guides/structured-outputs', 'documented', {
    strictSchemas: 'full',
  }),
  fact(
    "public code that quotes The 'metadata' parameter is only allowed when 'store' is enabled.",
    'reported',
    {
      storedMetadata: true,
    },
  ),
  fact("public code that quotes 'messages' must contain the word 'json' in some form", 'reported', {
    jsonByWord: true,
  }),
];

/** Those that can answer without thinking, which then take all of it, are told so by the request. */
const MODELS: readonly ModelFacts[] = [
  {
    id: /(?:^|\/)(?:gpt-[34]|chatgpt)/,
    models: 'GPT-3.5, GPT-4',
    facts: [
      fact(PARAMETERS, 'reported', { efforts: [] }),
      fact(`${TYPES} ChatCompletionCreateParamsBase.prompt_cache_options`, 'typed', {
        refusedMembers: ['prompt_cache_options'],
      }),
    ],
  },
  {
    id: /(?:^|\/)gpt-oss/,
    models: 'gpt-oss',
    facts: [fact('https://huggingface.co/openai/gpt-oss-120b', 'documented', { thinksByDefault: true })],
  },
  {
    id: /(?:^|\/)o\d/,
    models: 'o series',
    facts: [
      fact(PARAMETERS, 'reported', {
        thinksByDefault: true,
        thinkingStops: false,
        notWhileThinking: ['temperature', 'top_p'],
        refusedMembers: [
          ...['presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs', 'logit_bias'],
          'prediction',
        ],
      }),
      fact('https://github.com/evalstate/fast-agent/issues/279', 'reported', {
        refusedMembers: ['parallel_tool_calls'],
      }),
      fact('https://github.com/nextai-translator/nextai-translator/pull/1842', 'reported', {
        efforts: ['low', 'medium', 'high'],
      }),
    ],
  },
  {
    id: /(?:^|\/)(?:o[34]|gpt-5(?!.*chat))/,
    models: 'o3, o4, GPT-5',
    facts: [
      fact('https://github.com/huggingface/smolagents/issues/1671', 'reported', { refusedMembers: ['stop'] }),
    ],
  },
  {
    id: /(?:^|\/)gpt-5(?!.*chat)/,
    models: 'GPT-5',
    facts: [
      fact('https://github.com/anomalyco/opencode/issues/1984', 'reported', {
        thinksByDefault: true,
        thinkingStops: false,
        notWhileThinking: ['temperature', 'top_p', 'logprobs', 'top_logprobs', 'logit_bias'],
        refusedMembers: ['presence_penalty', 'frequency_penalty'],
      }),
      fact(EFFORTS, 'typed', { efforts: ['minimal', 'low', 'medium', 'high'] }),
    ],
  },
  {
    id: /(?:^|\/)gpt-5-pro/,
    models: 'GPT-5 pro',
    facts: [fact(EFFORTS, 'typed', { efforts: ['high'] })],
  },
  {
    id: /(?:^|\/)gpt-5\.[1-9](?!.*(?:chat|codex|pro))/,
    models: 'GPT-5.1 and later',
    facts: [
      fact(
        'https://github.com/vercel/ai/issues/10932; https://github.com/BerriAI/litellm/pull/17011',
        'reported',
        {
          thinksByDefault: false,
          thinkingStops: true,
        },
      ),
      fact('https://github.com/anomalyco/opencode/issues/4451', 'reported', {
        efforts: ['none', 'low', 'medium', 'high'],
      }),
    ],
  },
  {
    id: /(?:^|\/)gpt-5\.[2-9](?!.*chat)/,
    models: 'GPT-5.2 and later',
    facts: [fact(EFFORTS, 'typed', { efforts: ['none', 'low', 'medium', 'high', 'xhigh'] })],
  },
  {
    id: /(?:^|\/)gpt-5\.(?:1-codex-max|[2-9][^/]{0,20}codex)/,
    models: 'GPT-5.1 Codex max, Codex since GPT-5.2',
    facts: [
      fact('https://developers.openai.com/api/docs/models/gpt-5.3-codex', 'documented', {
        efforts: ['low', 'medium', 'high', 'xhigh'],
      }),
    ],
  },
  {
    id: /(?:^|\/)gpt-5\.[4-9](?!.*chat)/,
    models: 'GPT-5.4 and later',
    facts: [fact(TOOLS_OR_REASONING, 'reported', { toolsWhileThinking: false })],
  },
  {
    id: /(?:^|\/)gpt-5\.[5-9](?!.*chat)/,
    models: 'GPT-5.5 and later',
    facts: [
      fact('https://github.com/BerriAI/litellm/pull/34569', 'reported', {
        thinksByDefault: true,
        thinkingStops: true,
      }),
    ],
  },
];

export const OPENAI: ContractRow = { facts: FACTS, models: MODELS };

export const AZURE: ContractRow = {
  facts: FACTS,
  models: [
    ...MODELS,
    {
      id: /(?:^|\/)gpt-4/,
      models: 'GPT-4',
      facts: [
        fact('https://github.com/OpenHands/software-agent-sdk/issues/2295', 'reported', {
          refusedMembers: ['prompt_cache_retention'],
        }),
      ],
    },
    {
      id: /(?:^|\/)(?:kimi|deepseek|llama|mistral|grok|phi)/i,
      models: 'models of others',
      facts: [
        fact('https://github.com/vectorize-io/hindsight/issues/3518', 'reported', {
          refusedMembers: ['prompt_cache_key'],
        }),
      ],
    },
  ],
};
