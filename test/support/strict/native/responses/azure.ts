/** What Azure refuses beside what OpenAI does. */
import type { Rule } from '../rule.js';
import { eachItem, first, rule, toolsOf } from './rule.js';

export const AZURE_RULES: readonly Rule[] = [
  rule(
    {
      refuses: 'namespaces with an empty description',
      source: 'https://github.com/openai/codex/issues/37380',
      sure: 'reported',
    },
    (body) =>
      first(
        toolsOf(body).map(
          ({ at, tool }) =>
            () =>
              tool.type === 'namespace' && tool.description === ''
                ? `Invalid '${at}.description': empty string. Expected a string with minimum length 1, but got an empty string instead.`
                : undefined,
        ),
      ),
  ),
  eachItem(
    {
      refuses: 'what Codex notes of items for OpenAI',
      source: 'https://github.com/openai/codex/issues/30161',
      sure: 'reported',
    },
    ({ at, item }) =>
      'internal_chat_message_metadata_passthrough' in item
        ? `Unknown parameter: '${at}.internal_chat_message_metadata_passthrough'.`
        : undefined,
  ),
  eachItem(
    {
      refuses: 'metadata of items',
      source: 'https://github.com/openai/codex/issues/29469',
      sure: 'reported',
    },
    ({ at, item }) => ('metadata' in item ? `Unknown parameter: '${at}.metadata'.` : undefined),
  ),
];
