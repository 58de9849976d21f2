/** Perplexity, which searches and takes turns. */
import { answerForms } from '../answers.js';
import { contentFilled, contentThere, partKinds } from '../contents.js';
import { answered, reported, type StrictHost, typed } from '../rule.js';
import { efforts } from '../thoughts.js';
import { noTools } from '../tools.js';
import { alternating, lastMessage, rolesKnown } from '../turns.js';

const TYPES = 'npm @perplexity-ai/perplexity_ai 0.38.5';

export const perplexity: StrictHost = {
  name: 'perplexity',
  format: 'chat',
  model: 'sonar-pro',
  rules: [
    rolesKnown(
      reported('https://github.com/BerriAI/litellm/issues/11665'),
      ['system', 'user', 'assistant'],
      (index) => `At body -> messages -> ${index} -> role: Input should be 'system', 'user' or 'assistant'`,
    ),
    contentThere(
      reported('https://github.com/BerriAI/litellm/issues/11665'),
      ['user', 'assistant', 'system'],
      (index) => `At body -> messages -> ${index} -> content: Field required`,
    ),
    contentFilled(
      reported('https://github.com/InfinitiBit/graphbit/pull/163'),
      ['user', 'system', 'assistant'],
      (index) => `At body -> messages -> ${index} -> content: must not be empty`,
    ),
    lastMessage(
      reported('https://github.com/BerriAI/litellm/issues/3918'),
      ['user'],
      'Last message must have role `user`.',
    ),
    alternating(
      reported('https://github.com/perplexityai/api-discussion/issues/265'),
      'After the (optional) system message(s), user and assistant roles should be alternating.',
    ),
    partKinds(
      typed(`${TYPES} ChatMessageInputInput.content`),
      {
        user: ['text', 'image_url', 'file_url', 'pdf_url', 'video_url'],
        assistant: ['text'],
        system: ['text'],
      },
      (path, type) => `At body -> ${path}: '${type}' is not a content chunk`,
    ),
    noTools(
      reported('https://github.com/pipecat-ai/pipecat/pull/4862'),
      'Tool calling is not supported for this model',
    ),
    answerForms(
      typed(`${TYPES} ApiChatCompletionsRequestInput.response_format`),
      ['text', 'json_schema', 'regex'],
      () => "At body -> response_format -> type: Input should be 'text', 'json_schema' or 'regex'",
    ),
    efforts(
      typed(`${TYPES} ApiChatCompletionsRequestInput.reasoning_effort`),
      ['minimal', 'low', 'medium', 'high'],
      () => "At body -> reasoning_effort: Input should be 'minimal', 'low', 'medium' or 'high'",
    ),
  ].map((rule) => answered(rule, { status: 400 })),
  refuse: (message, { status = 400 }) => ({
    status,
    body: { error: { message, type: 'invalid_message', code: status } },
  }),
};
