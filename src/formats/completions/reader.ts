import type { Violation } from '../../base/problem.js';
import type { ChatBody } from '../chat/types.js';
import type { UntranslatedRequest } from '../reading/untranslated.js';
import type { CompletionBody } from './types.js';

/** Whatever is asked: a template of a chat around the prompt would make it another question. */
const NEVER_TRANSLATED: readonly Violation[] = [
  {
    field: 'prompt',
    rule: 'unsupported',
    message:
      'needs an endpoint that speaks text completions, and none is left for this request: name another model, or send this one a request of its own API',
  },
];

export function readCompletion(sent: CompletionBody): UntranslatedRequest<'completions'> {
  const { provider, models, route, ...body } = sent;
  const prompt = singleText(sent.prompt);
  return {
    format: 'completions',
    chat: chatOf(sent, [prompt, sent.suffix]),
    body: prompt === sent.prompt ? body : { ...body, prompt },
    nativeOnly: NEVER_TRANSLATED,
    omitted: [],
  };
}

/** Clients that can send several texts put a single one into a list too, and not all hosts take lists. */
function singleText(prompt: unknown): unknown {
  return Array.isArray(prompt) && prompt.length === 1 && typeof prompt[0] === 'string' ? prompt[0] : prompt;
}

function chatOf(
  { prompt, suffix, max_tokens, reasoning, reasoning_effort, include_reasoning, ...members }: CompletionBody,
  texts: readonly unknown[],
): ChatBody {
  return {
    ...members,
    // Some hosts take 0 for no limit at all.
    ...(max_tokens !== undefined && max_tokens !== 0 && { max_tokens }),
    messages: texts.flatMap((text) => (typeof text === 'string' ? [{ role: 'user', content: text }] : [])),
  };
}
