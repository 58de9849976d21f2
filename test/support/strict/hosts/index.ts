/** Every host that is known as a judge, and one of which nothing is known. */
import { openAiRefusal } from '../refusals.js';
import type { StrictHost } from '../rule.js';
import { alibaba } from './alibaba.js';
import { azure } from './azure.js';
import { cerebras } from './cerebras.js';
import { deepSeek, deepSeekSeeing, deepSeekThinking } from './deepseek.js';
import { fireworks } from './fireworks.js';
import { gemini3, googleAiStudio } from './google-ai-studio.js';
import { groq } from './groq.js';
import { mistral } from './mistral.js';
import { moonshot } from './moonshot.js';
import { openAi, openAiReasoning } from './openai.js';
import { openRouter } from './openrouter.js';
import { perplexity } from './perplexity.js';
import { together } from './together.js';
import { xai } from './xai.js';
import { zAi } from './z-ai.js';

const unknown: StrictHost = { name: 'unknown', format: 'chat', model: 'm', rules: [], refuse: openAiRefusal };

/** Those that speak OpenAI's chats; some twice, with models that differ. */
export const CHAT_HOSTS: readonly StrictHost[] = [
  openAi,
  openAiReasoning,
  azure,
  mistral,
  groq,
  deepSeek,
  deepSeekThinking,
  deepSeekSeeing,
  moonshot,
  xai,
  cerebras,
  perplexity,
  googleAiStudio,
  gemini3,
  zAi,
  alibaba,
  together,
  fireworks,
  openRouter,
  unknown,
];
