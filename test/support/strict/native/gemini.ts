import { CONFIG_RULES } from './gemini/config.js';
import { TOOL_RULES } from './gemini/tools.js';
import { TURN_RULES } from './gemini/turns.js';
import type { StrictHost } from './rule.js';

/** Gemini 2.5 at Vertex AI, over `generateContent`. */
export const GEMINI_2: StrictHost = {
  name: 'gemini-2.5',
  format: 'gemini',
  model: 'gemini-2.5-pro',
  rules: [...TURN_RULES, ...TOOL_RULES, ...CONFIG_RULES],
};

/** Gemini 3 there: signatures of calls, levels of thinking. */
export const GEMINI_3: StrictHost = { ...GEMINI_2, name: 'gemini-3', model: 'gemini-3-pro-preview' };
