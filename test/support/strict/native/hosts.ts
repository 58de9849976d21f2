import { ANTHROPIC, ANTHROPIC_LATE } from './anthropic.js';
import { CLAUDE_BEDROCK } from './claude-bedrock.js';
import { CLAUDE_FOUNDRY } from './claude-foundry.js';
import { CLAUDE_VERTEX } from './claude-vertex.js';
import { CONVERSE_CLAUDE } from './converse-claude.js';
import { CONVERSE_LLAMA } from './converse-llama.js';
import { CONVERSE_MISTRAL } from './converse-mistral.js';
import { CONVERSE_NOVA } from './converse-nova.js';
import { GEMINI_2, GEMINI_3 } from './gemini.js';
import { RESPONSES, RESPONSES_AZURE, RESPONSES_REASONING } from './responses.js';
import type { ResponsesHost, StrictHost } from './rule.js';

/** The hosts whose format is their own. */
export const NATIVE_HOSTS: readonly StrictHost[] = [
  ANTHROPIC,
  ANTHROPIC_LATE,
  CLAUDE_BEDROCK,
  CLAUDE_FOUNDRY,
  CLAUDE_VERTEX,
  CONVERSE_CLAUDE,
  CONVERSE_LLAMA,
  CONVERSE_MISTRAL,
  CONVERSE_NOVA,
  GEMINI_2,
  GEMINI_3,
];

/** Those of the Responses API, by what their models are. */
export const RESPONSES_HOSTS: readonly ResponsesHost[] = [RESPONSES, RESPONSES_REASONING, RESPONSES_AZURE];
