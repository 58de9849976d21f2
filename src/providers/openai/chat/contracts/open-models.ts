/** What hosts of open models take of a chat. */
import { COPY, type ContractRow, fact } from './fact.js';

const CEREBRAS_TYPES = 'npm @cerebras/cerebras_cloud_sdk 1.91.0';

export const CEREBRAS: ContractRow = {
  facts: [
    COPY,
    fact(`${CEREBRAS_TYPES} ChatCompletionCreateParamsBase`, 'typed', {
      takenMembers: [
        ...['clear_thinking', 'disable_reasoning', 'frequency_penalty', 'logit_bias', 'logprobs'],
        ...[
          'min_completion_tokens',
          'min_tokens',
          'model_parameters',
          'n',
          'parallel_tool_calls',
          'prediction',
        ],
        ...['presence_penalty', 'prompt_cache_key', 'reasoning_format', 'seed', 'service_tier', 'stop'],
        ...['temperature', 'top_logprobs', 'top_p', 'user'],
      ],
      efforts: ['none', 'low', 'medium', 'high'],
      maxStops: 4,
      maxTemperature: 2,
      maxTopLogprobs: 20,
    }),
    fact(`${CEREBRAS_TYPES} TextContent, ImageURLContent, ImageContent`, 'typed', {
      userParts: ['text', 'image_url', 'image'],
    }),
    fact('https://github.com/agno-agi/agno/issues/6013', 'reported', { closedAnswers: true }),
    fact('https://github.com/theopenco/llmgateway/pull/1455', 'reported', { strictSchemas: 'closed' }),
    fact('https://github.com/mpfaffenberger/code_puppy/pull/368', 'reported', { alikeTools: true }),
    fact('https://inference-docs.cerebras.ai/capabilities/structured-outputs', 'documented', {
      formatWithTools: false,
    }),
  ],
};

const FIREWORKS_SDK = 'PyPI fireworks-ai 1.2.30';

export const FIREWORKS: ContractRow = {
  facts: [
    COPY,
    fact(
      `https://github.com/web-infra-dev/midscene/issues/1322; ${FIREWORKS_SDK} CompletionCreateParamsBase`,
      'reported',
      {
        takenMembers: [
          ...['context_length_exceeded_behavior', 'echo', 'echo_last', 'frequency_penalty', 'ignore_eos'],
          ...['logit_bias', 'logprobs', 'metadata', 'min_p', 'mirostat_lr', 'mirostat_target', 'n'],
          ...['parallel_tool_calls', 'perf_metrics_in_response', 'prediction', 'presence_penalty'],
          ...['prompt_cache_isolation_key', 'prompt_cache_key', 'prompt_truncate_len', 'raw_output'],
          ...['reasoning_history', 'repetition_penalty', 'return_token_ids', 'safe_tokenization', 'seed'],
          ...['service_tier', 'speculation', 'stop', 'temperature', 'thinking', 'top_k', 'top_logprobs'],
          ...['top_p', 'typical_p', 'user'],
        ],
      },
    ),
    fact('https://github.com/docker/mcp-gateway/pull/234', 'reported', { typedSchemas: true }),
    fact(`${FIREWORKS_SDK} CompletionCreateParamsBase`, 'documented', {
      maxStops: 4,
      maxTemperature: 2,
      maxTopK: 100,
      maxTopLogprobs: 5,
    }),
  ],
};

const GROQ_TYPES = 'npm groq-sdk 1.6.0';

export const GROQ: ContractRow = {
  facts: [
    COPY,
    fact(
      `https://github.com/CherryHQ/cherry-studio/issues/11435; ${GROQ_TYPES} ChatCompletionCreateParamsBase`,
      'reported',
      {
        takenMembers: [
          ...[
            'citation_options',
            'compound_custom',
            'disable_tool_validation',
            'documents',
            'exclude_domains',
          ],
          ...['frequency_penalty', 'include_domains', 'n', 'parallel_tool_calls', 'presence_penalty'],
          ...[
            'reasoning_format',
            'search_settings',
            'seed',
            'service_tier',
            'stop',
            'temperature',
            'top_p',
            'user',
          ],
        ],
      },
    ),
    fact('https://console.groq.com/docs/openai', 'documented', { names: 'none', maxChoices: 1 }),
    fact(`${GROQ_TYPES} ChatCompletionCreateParamsBase`, 'typed', { maxStops: 4, maxTemperature: 2 }),
    fact(`${GROQ_TYPES} ChatCompletionToolMessageParam`, 'typed', { resultNames: false }),
    fact(`${GROQ_TYPES} ChatCompletionContentPart`, 'typed', {
      userParts: ['text', 'image_url', 'document'],
    }),
    fact('https://github.com/HunorLaczko/ha-groq-cloud-api/issues/25', 'reported', { maxTools: 128 }),
    fact('https://github.com/vercel/ai/pull/16540', 'reported', { formatWithTools: false }),
  ],
  models: [
    {
      id: /gpt-oss/,
      models: 'gpt-oss',
      facts: [
        fact(`${GROQ_TYPES} ChatCompletionCreateParamsBase.reasoning_effort`, 'typed', {
          thinksByDefault: true,
          thinkingStops: false,
          efforts: ['low', 'medium', 'high'],
        }),
      ],
    },
    {
      id: /qwen3-32b/,
      models: 'Qwen3 32B',
      facts: [
        fact(`${GROQ_TYPES} ChatCompletionCreateParamsBase.reasoning_effort`, 'typed', { efforts: ['none'] }),
      ],
    },
  ],
};

const TOGETHER_TYPES = 'npm together-ai 0.52.0';

export const TOGETHER: ContractRow = {
  facts: [
    COPY,
    fact(`${TOGETHER_TYPES} ChatCompletionMessageParam`, 'typed', { parts: ['user'] }),
    fact(`${TOGETHER_TYPES} CompletionCreateParamsBase.reasoning_effort`, 'typed', {
      efforts: ['none', 'low', 'medium', 'high'],
    }),
  ],
};

export const VERTEX: ContractRow = { facts: [COPY] };
