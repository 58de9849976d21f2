/** What Chinese hosts take of a chat: Alibaba, DeepSeek, Moonshot and Z.ai. */
import { COPY, type ContractRow, fact } from './fact.js';

const ALIBABA_ERRORS = 'https://www.alibabacloud.com/help/model-studio/error-code';

export const ALIBABA: ContractRow = {
  facts: [
    COPY,
    fact(ALIBABA_ERRORS, 'documented', {
      jsonByWord: true,
      jsonWhileThinking: false,
      maxTemperature: 1.99,
      minTopP: 0.001,
    }),
    fact('https://github.com/cloudwego/eino/issues/994', 'reported', { forcedWhileThinking: false }),
    fact('https://github.com/HKUDS/nanobot/issues/1487', 'reported', { parsedArguments: true }),
  ],
  models: [
    {
      id: /thinking|qwq|qvq/,
      models: 'QwQ, QvQ, and models whose names say that they think',
      facts: [
        fact('https://www.alibabacloud.com/help/en/model-studio/deep-thinking', 'documented', {
          thinksByDefault: true,
          thinkingStops: false,
        }),
      ],
    },
  ],
};

const DEEPSEEK_THINKING = 'https://api-docs.deepseek.com/guides/thinking_mode';

export const DEEPSEEK: ContractRow = {
  facts: [
    COPY,
    fact(
      'https://github.com/rikkahub/rikkahub/issues/1433; https://github.com/BerriAI/litellm/issues/6642',
      'reported',
      {
        parts: [],
        userParts: ['text'],
      },
    ),
    fact('https://github.com/carlrobertoh/ProxyAI/issues/834', 'reported', { emptyContents: 'filled' }),
    fact('https://github.com/farion1231/cc-switch/issues/5490', 'reported', { parametersNeeded: true }),
    fact('https://github.com/llm-exe/llm-exe/issues/662', 'reported', { schemaFormat: false }),
    fact('https://github.com/browserbase/stagehand/issues/1204', 'reported', { jsonByWord: true }),
    fact('https://api-docs.deepseek.com/api/create-chat-completion', 'documented', {
      maxStops: 16,
      maxTemperature: 2,
    }),
    fact('https://github.com/BerriAI/litellm/pull/37470', 'reported', { forcedWhileThinking: false }),
    fact(DEEPSEEK_THINKING, 'documented', {
      thoughtsRequired: 'steps',
      notWhileThinking: ['logprobs', 'top_logprobs'],
    }),
  ],
  models: [
    {
      id: /deepseek-(?:r1|reasoner|v4|flash)/,
      models: 'R1, V4 and later',
      facts: [fact(DEEPSEEK_THINKING, 'documented', { thinksByDefault: true })],
    },
    {
      id: /deepseek-(?:v[\d.]{1,5}-)?flash/,
      models: 'Flash since V4',
      facts: [
        fact('https://api-docs.deepseek.com/guides/vision', 'documented', {
          parts: ['user'],
          userParts: ['text', 'image_url'],
        }),
      ],
    },
    {
      id: /deepseek-reasoner/,
      models: 'deepseek-reasoner',
      facts: [
        fact('https://github.com/olimorris/codecompanion.nvim/issues/760', 'reported', {
          prefill: 'refused',
        }),
        fact('https://api-docs.deepseek.com/zh-cn/guides/reasoning_model', 'documented', {
          refusedMembers: ['logprobs', 'top_logprobs'],
        }),
      ],
    },
  ],
};

const KIMI =
  'https://raw.githubusercontent.com/api-evangelist/kimi-moonshot/refs/heads/main/openapi/kimi-moonshot-chat-api-openapi.yml';
const KIMI_FIXED = 'https://github.com/HKUDS/nanobot/pull/4967';
const KIMI_FORCED = 'https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152';
const KIMI_THOUGHTS = 'https://github.com/mastra-ai/mastra/issues/12592';
const KIMI_3 = 'https://github.com/mnfst/modelparams.dev/pull/168';

export const MOONSHOT: ContractRow = {
  facts: [
    COPY,
    fact(KIMI, 'documented', { names: 'plain', maxTools: 128, maxStops: 5, maxTemperature: 1 }),
    fact(
      `${KIMI} ToolDefinition.function.name; https://github.com/MoonshotAI/kimi-cli/issues/1773`,
      'documented',
      {
        toolNameStart: 'word',
        minToolName: 3,
      },
    ),
    fact('https://github.com/AstrBotDevs/AstrBot/issues/7200', 'reported', { emptyContents: 'filled' }),
    fact(
      'https://platform.kimi.ai/docs/guide/use-kimi-vision-model as quoted in https://github.com/OpenHands/software-agent-sdk/pull/3219',
      'documented',
      { mediaUrls: false },
    ),
    fact('https://github.com/MoonshotAI/walle (its MFJS specification)', 'documented', { rootUnions: false }),
    fact('https://github.com/can1357/oh-my-pi/issues/5952', 'reported', { booleanSchemas: false }),
    fact('https://github.com/earendil-works/pi/issues/4138', 'reported', { typedSchemas: true }),
    fact('https://github.com/CommandCodeAI/command-code/issues/594', 'reported', { referencesToDefs: true }),
    fact(
      'https://github.com/MoonshotAI/kimi-cli/issues/2061; https://github.com/MoonshotAI/kimi-cli/issues/2531',
      'reported',
      {
        schemaSiblings: false,
      },
    ),
  ],
  models: [
    {
      id: /kimi-k(?:2\.[5-9]|[3-9])/,
      models: 'Kimi K2.5 and later',
      facts: [
        fact(KIMI_FIXED, 'reported', {
          refusedMembers: ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'],
          maxChoices: 1,
        }),
        fact(KIMI_FORCED, 'reported', { thinksByDefault: true, forcedWhileThinking: false }),
        fact(KIMI_THOUGHTS, 'reported', { thoughtsRequired: 'all' }),
      ],
    },
    {
      id: /kimi-k2-thinking|kimi-k2\.7-code/,
      models: 'Kimi K2 Thinking, K2.7 Code',
      facts: [
        fact(KIMI_3, 'reported', { thinksByDefault: true, thinkingStops: false }),
        fact(KIMI_FORCED, 'reported', { forcedWhileThinking: false }),
        fact(KIMI_THOUGHTS, 'reported', { thoughtsRequired: 'all' }),
      ],
    },
    {
      id: /kimi-k[3-9]/,
      models: 'Kimi K3',
      facts: [
        fact(KIMI_3, 'reported', { thinkingStops: false, efforts: ['low', 'high', 'max'] }),
        fact(KIMI_FORCED, 'reported', {
          forcedWhileThinking: true,
          toolChoices: ['none', 'auto', 'required'],
        }),
      ],
    },
  ],
};

const GLM =
  'https://docs.bigmodel.cn/api-reference/%E6%A8%A1%E5%9E%8B-api/%E5%AF%B9%E8%AF%9D%E8%A1%A5%E5%85%A8';

export const Z_AI: ContractRow = {
  facts: [
    COPY,
    fact(GLM, 'documented', { schemaFormat: false, maxStops: 1 }),
    fact('https://github.com/anomalyco/opencode/issues/2557', 'reported', { userSpeaks: true }),
    fact('https://java.agentscope.io/v2/en/integration/model/glm', 'assumed', { toolChoices: ['auto'] }),
    fact('PyPI zai-sdk 0.2.3 Completions.create, which keeps it within', 'typed', { maxTemperature: 1 }),
  ],
  models: [
    {
      id: /glm-(?:4\.[5-9]|5)/,
      models: 'GLM-4.5 and later',
      facts: [
        fact('https://docs.z.ai/guides/capabilities/thinking-mode', 'documented', { thinksByDefault: true }),
      ],
    },
    {
      id: /glm-5\.2/,
      models: 'GLM-5.2',
      facts: [
        fact(GLM, 'documented', {
          efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
        }),
      ],
    },
    {
      id: /glm-5\.[3-9]/,
      models: 'GLM-5.3 and later',
      facts: [fact(GLM, 'documented', { efforts: ['low', 'high', 'max'] })],
    },
  ],
};
