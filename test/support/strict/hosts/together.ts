/** Together; what it refuses is known from its types alone, but for the form of the refusal. */
import { textOnly } from '../contents.js';
import { type StrictHost, typed } from '../rule.js';
import { efforts } from '../thoughts.js';
import { rolesKnown } from '../turns.js';

const TYPES = 'npm together-ai 0.52.0';
const invalid = () => 'Input validation error';

export const together: StrictHost = {
  name: 'together',
  format: 'chat',
  model: 'deepseek-ai/DeepSeek-V3',
  rules: [
    rolesKnown(
      typed(`${TYPES} ChatCompletionMessageParam`),
      ['system', 'user', 'assistant', 'tool', 'function'],
      invalid,
    ),
    textOnly(
      typed(
        `${TYPES} ChatCompletionToolMessageParam, ChatCompletionSystemMessageParam, ChatCompletionAssistantMessageParam`,
      ),
      ['tool', 'system', 'assistant'],
      invalid,
    ),
    efforts(
      typed(`${TYPES} CompletionCreateParamsBase.reasoning_effort`),
      ['low', 'medium', 'high'],
      invalid,
    ),
  ],
  /** https://github.com/mozilla-ai/any-llm/issues/714 */
  refuse: (message, { status = 400 }) => ({
    status,
    body: { id: 'o', error: { message, type: 'invalid_request_error', param: null, code: null } },
  }),
};
