/** OpenRouter as a host behind the gateway: what it refuses itself, before its own hosts do. */
import { resultsNamed } from '../calls.js';
import { contentThere } from '../contents.js';
import { exclusive } from '../members.js';
import { type Rule, reported, type StrictHost, typed } from '../rule.js';
import { rolesKnown } from '../turns.js';

const SDK = 'PyPI openrouter 1.3.84';

const bothWays: Rule = {
  ...reported('https://github.com/omeryasirkucuk/amx/pull/66'),
  refuses: 'reasoning with an effort and a number of tokens.',
  example: {
    refused: { reasoning: { effort: 'high', max_tokens: 2000 } },
    taken: { reasoning: { effort: 'high' } },
  },
  violation: ({ reasoning }) => {
    const given = Object(reasoning) as { effort?: unknown; max_tokens?: unknown };
    return given.effort === undefined || given.max_tokens === undefined
      ? undefined
      : 'Only one of "reasoning.effort" and "reasoning.max_tokens" can be specified';
  },
};

export const openRouter: StrictHost = {
  name: 'openrouter',
  format: 'chat',
  model: 'anthropic/claude-sonnet-4.5',
  rules: [
    rolesKnown(
      typed(`${SDK} ChatMessages`),
      ['system', 'developer', 'user', 'assistant', 'tool'],
      () => 'Invalid input',
    ),
    contentThere(
      typed(`${SDK} ChatUserMessage, ChatToolMessage`),
      ['user', 'system', 'tool'],
      () => 'Invalid input',
    ),
    resultsNamed(typed(`${SDK} ChatToolMessage.tool_call_id`), () => 'Invalid input'),
    bothWays,
    exclusive(
      typed(`${SDK} ChatRequest.reasoning_effort`),
      { reasoning: { enabled: true } },
      { reasoning_effort: 'high' },
      '"reasoning" and "reasoning_effort" cannot be used together',
    ),
  ],
  refuse: (message, { status = 400 }) => ({ status, body: { error: { message, code: status } } }),
};
