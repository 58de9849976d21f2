/**
 * What each host that speaks OpenAI's chat format takes of a chat, beside its quirks, with where each fact is from and how sure it
 * is: in words in `docs/providers/openai-compatible.md#contracts`.
 */
import type { HostName } from '../../../catalog/known-hosts.js';
import { ALIBABA, DEEPSEEK, MOONSHOT, Z_AI } from './contracts/chinese.js';
import { COPY, type ContractRow, fact } from './contracts/fact.js';
import { CEREBRAS, FIREWORKS, GROQ, TOGETHER, VERTEX } from './contracts/open-models.js';
import { AZURE, OPENAI } from './contracts/openai.js';

const GOOGLE: ContractRow = {
  facts: [
    COPY,
    fact('https://github.com/dust-tt/dust/pull/28212', 'reported', {
      toolNames: 'dotted',
      toolNameStart: 'word',
    }),
    fact('https://ai.google.dev/gemini-api/docs/image-understanding', 'documented', {
      images: ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif'],
    }),
    fact('https://ai.google.dev/api/generate-content GenerationConfig.stopSequences', 'documented', {
      maxStops: 5,
    }),
    fact('https://github.com/MinLL/SkyrimNet-GamePlugin/issues/77', 'reported', {
      refusedMembers: ['frequency_penalty', 'top_k'],
    }),
    fact('https://github.com/google-gemini/gemini-cli/issues/26956', 'reported', { callsFollow: true }),
    fact('https://github.com/Vali-98/ChatterUI/issues/227', 'reported', { refusedMembers: ['seed'] }),
  ],
  models: [
    {
      id: /gemini-[12]/,
      models: 'Gemini 1, 2',
      facts: [fact('https://github.com/vercel/ai/pull/16540', 'reported', { formatWithTools: false })],
    },
    {
      id: /gemini-(?:[3-9]|flash-latest|pro-latest|flash-lite-latest)/,
      models: 'Gemini 3 and later',
      facts: [
        fact('https://ai.google.dev/gemini-api/docs/thought-signatures', 'documented', { signedCalls: true }),
      ],
    },
    {
      id: /gemini-3[^/]{0,20}flash/,
      models: 'Gemini 3 Flash',
      facts: [
        fact(
          'https://discuss.ai.google.dev/t/openai-compat-api-rejects-reasoning-effort-minimal-for-gemini-3-flash/118724',
          'reported',
          { efforts: ['none', 'low', 'medium', 'high'] },
        ),
      ],
    },
  ],
};

const MISTRAL_SDK = 'npm @mistralai/mistralai 2.7.0';
const MISTRAL_COMMON = 'PyPI mistral-common 1.13.1 MistralRequestValidator';

const MISTRAL: ContractRow = {
  facts: [
    COPY,
    fact(
      `https://github.com/partITech/php-mistral/issues/76; ${MISTRAL_SDK} ChatCompletionRequest`,
      'reported',
      {
        takenMembers: [
          ...['temperature', 'top_p', 'stop', 'seed', 'random_seed', 'metadata', 'presence_penalty'],
          ...['frequency_penalty', 'n', 'prediction', 'parallel_tool_calls', 'prompt_mode', 'guardrails'],
          ...['prompt_cache_key', 'service_tier', 'safe_prompt'],
        ],
        maxTemperature: 1.5,
      },
    ),
    fact(`${MISTRAL_COMMON}V3._validate_tool_call_id`, 'typed', { callIds: 'nine' }),
    fact(`${MISTRAL_COMMON}._validate_message_order`, 'typed', { system: 'start' }),
    fact('https://github.com/zed-industries/zed/issues/37021', 'reported', { assistantAfterResults: true }),
    fact('https://github.com/0xPlaygrounds/rig/pull/1130', 'reported', { prefill: 'prefix' }),
    fact('https://github.com/Gage-Technologies/mistral-go/issues/3', 'reported', { names: 'none' }),
    fact('https://github.com/OpenHands/OpenHands/issues/8685', 'reported', { emptyContents: 'filled' }),
    fact(`${MISTRAL_SDK} FunctionT.parameters`, 'typed', { parametersNeeded: true }),
    fact(`${MISTRAL_SDK} ContentChunk`, 'typed', {
      userParts: ['text', 'image_url', 'document_url', 'input_audio'],
    }),
  ],
};

const PERPLEXITY_TYPES = 'npm @perplexity-ai/perplexity_ai 0.38.5';

const PERPLEXITY: ContractRow = {
  facts: [
    COPY,
    fact('https://github.com/perplexityai/api-discussion/issues/265', 'reported', {
      system: 'one',
      alternates: true,
      userFirst: true,
      names: 'none',
    }),
    fact('https://github.com/BerriAI/litellm/issues/3918', 'reported', { prefill: 'refused' }),
    fact('https://github.com/InfinitiBit/graphbit/pull/163', 'reported', { emptyContents: 'filled' }),
    fact('https://github.com/pipecat-ai/pipecat/pull/4862', 'reported', { tools: false }),
    fact(`${PERPLEXITY_TYPES} ChatMessageInputInput.content`, 'typed', {
      userParts: ['text', 'image_url', 'file_url', 'pdf_url', 'video_url'],
    }),
    fact(`${PERPLEXITY_TYPES} ApiChatCompletionsRequestInput`, 'typed', {
      jsonFormat: false,
      efforts: ['minimal', 'low', 'medium', 'high'],
    }),
  ],
};

const XAI: ContractRow = {
  facts: [
    COPY,
    fact('https://github.com/langchain-ai/langchain/issues/34140', 'reported', { contentBesideCalls: true }),
    fact('https://github.com/spiceai/spiceai/issues/4734', 'reported', { parsedArguments: true }),
    fact('https://github.com/router-for-me/CLIProxyAPI/issues/5214', 'reported', { maxTools: 200 }),
    fact('https://docs.x.ai/docs/api-reference', 'documented', { maxStops: 4, maxTemperature: 2 }),
  ],
  models: [
    {
      id: /grok-(?:[4-9]|3|code|build)/,
      models: 'Grok 3 and later',
      facts: [
        fact('https://github.com/miaoxworld/NativeTavern/issues/83', 'reported', {
          refusedMembers: ['presence_penalty', 'frequency_penalty'],
        }),
      ],
    },
    {
      id: /grok-(?:[4-9]|3-mini|code|build)/,
      models: 'Grok 3 mini, Grok 4 and later',
      facts: [
        fact('https://github.com/BerriAI/litellm/issues/12635', 'reported', { refusedMembers: ['stop'] }),
      ],
    },
    {
      id: /grok-(?:4|build)(?!.*non-reasoning)/,
      models: 'Grok 4 that reasons',
      facts: [
        fact('https://docs.x.ai/developers/model-capabilities/text/reasoning', 'documented', {
          thinksByDefault: true,
          thinkingStops: false,
        }),
      ],
    },
    {
      id: /grok-4(?:-|$|\.20)/,
      models: 'Grok 4, Grok 4.20',
      facts: [
        fact('https://github.com/vercel/ai/releases/tag/@ai-sdk%2Fxai@4.0.8', 'reported', { efforts: [] }),
      ],
    },
    {
      id: /grok-4\.3/,
      models: 'Grok 4.3',
      facts: [
        fact('https://docs.x.ai/developers/model-capabilities/text/reasoning', 'documented', {
          thinkingStops: true,
          efforts: ['none', 'low', 'medium', 'high'],
        }),
      ],
    },
  ],
};

const OPENROUTER: ContractRow = {
  facts: [
    fact('PyPI openrouter 1.3.84 ChatUserMessage, ChatToolMessage', 'typed', {
      functions: false,
      emptyContents: 'text',
    }),
    fact('https://openrouter.ai/docs/guides/overview/multimodal/images', 'documented', {
      images: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
    }),
  ],
};

export const CONTRACTS: Readonly<Record<HostName, ContractRow>> = {
  alibaba: ALIBABA,
  'alibaba-cn': ALIBABA,
  azure: AZURE,
  cerebras: CEREBRAS,
  deepseek: DEEPSEEK,
  fireworks: FIREWORKS,
  'google-ai-studio': GOOGLE,
  'google-vertex': VERTEX,
  groq: GROQ,
  mistral: MISTRAL,
  moonshotai: MOONSHOT,
  'moonshotai-cn': MOONSHOT,
  openai: OPENAI,
  openrouter: OPENROUTER,
  perplexity: PERPLEXITY,
  together: TOGETHER,
  xai: XAI,
  'z-ai': Z_AI,
};
