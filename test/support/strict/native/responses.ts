import { AZURE_RULES } from './responses/azure.js';
import { ITEM_RULES } from './responses/items.js';
import { MEMBER_RULES } from './responses/members.js';
import { MODEL_RULES } from './responses/models.js';
import type { ResponsesHost } from './rule.js';

/** OpenAI's Responses API with a model that does not reason. */
export const RESPONSES: ResponsesHost = {
  name: 'responses',
  format: 'responses',
  model: 'gpt-4.1',
  rules: [...MEMBER_RULES, ...ITEM_RULES, ...MODEL_RULES],
};

/** The same with a model that does. */
export const RESPONSES_REASONING: ResponsesHost = {
  ...RESPONSES,
  name: 'responses-reasoning',
  model: 'gpt-5',
};

/** The same at Azure, by another model. */
export const RESPONSES_AZURE: ResponsesHost = {
  ...RESPONSES,
  name: 'responses-azure',
  model: 'o4-mini',
  rules: [...RESPONSES.rules, ...AZURE_RULES],
};
