/** Rules about reasoning: how much, and what comes back of it. */
import { type Body, callsOf, messagesOf, objectIn } from './chat.js';
import { CALL, CALLING, called, RESULT, USER } from './examples.js';
import type { Evidence, Rule } from './rule.js';

/** Efforts of a model are among these. */
export function efforts(
  evidence: Evidence,
  allowed: readonly string[],
  words: (effort: string, model: string) => string,
): Rule {
  const bad =
    ['minimal', 'none', 'medium', 'max', 'xhigh', 'huge'].find((effort) => !allowed.includes(effort)) ??
    'huge';
  return {
    ...evidence,
    refuses: `Efforts other than ${allowed.join(', ')}.`,
    example: { refused: { reasoning_effort: bad }, taken: { reasoning_effort: allowed.at(-1) } },
    violation: ({ reasoning_effort: effort }, { model }) =>
      effort === undefined || effort === null || allowed.includes(String(effort))
        ? undefined
        : words(String(effort), model),
  };
}

/** Calls come back with what the model thought before them, in this member. */
export function thoughtsOfCalls(evidence: Evidence, member: string, words: (index: number) => string): Rule {
  return {
    ...evidence,
    refuses: `A message with calls without its ${member}.`,
    example: { refused: called(), taken: called({ ...CALLING, [member]: 'I should look it up.' }) },
    violation: (body) => {
      const index = messagesOf(body).findIndex(
        (message) => callsOf(message).length > 0 && !isThought(message[member]),
      );
      return index === -1 ? undefined : words(index);
    },
  };
}

/** What the model said after calls, before the user's next message, comes back with its thoughts as well. */
export function thoughtsAfterCalls(
  evidence: Evidence,
  member: string,
  words: (index: number) => string,
): Rule {
  const thought = { ...CALLING, [member]: 'I should look it up.' };
  const said = { role: 'assistant', content: 'It is sunny.' };
  return {
    ...evidence,
    refuses: `A message after a call of the same turn without its ${member}.`,
    example: {
      refused: called(thought, RESULT, said, USER),
      taken: called(thought, RESULT, { ...said, [member]: 'It is sunny, I read.' }, USER),
    },
    violation: (body) => {
      const messages = messagesOf(body);
      const index = messages.findIndex((message, at) => {
        if (message.role !== 'assistant' || isThought(message[member])) return false;
        const turn = messages.slice(
          messages.slice(0, at).findLastIndex(({ role }) => role === 'user') + 1,
          at,
        );
        return turn.some((one) => callsOf(one).length > 0);
      });
      return index === -1 ? undefined : words(index);
    },
  };
}

function isThought(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/**
 * The first call of each step since the user's last message is signed, in `extra_content.google.thought_signature`; the
 * placeholders of https://ai.google.dev/gemini-api/docs/thought-signatures are signatures too.
 */
export function callsSigned(evidence: Evidence, words: (name: string, position: number) => string): Rule {
  const signed = { ...CALL, extra_content: { google: { thought_signature: 'c2lnbmVk' } } };
  return {
    ...evidence,
    refuses: 'A step of the turn whose first call has no thought signature.',
    example: { refused: called(), taken: called({ ...CALLING, tool_calls: [signed] }) },
    violation: (body) => {
      const messages = messagesOf(body);
      const begin = messages.findLastIndex(({ role }) => role === 'user') + 1;
      for (const [index, message] of messages.entries()) {
        const [first] = index < begin ? [] : callsOf(message);
        const google = objectIn(objectIn(first?.extra_content)?.google);
        if (first === undefined || isThought(google?.thought_signature)) continue;
        return words(String(objectIn(first.function)?.name), index + 1);
      }
      return undefined;
    },
  };
}

/** A switch for thinking is of one of these types. */
export function thinkingTypes(
  evidence: Evidence,
  types: readonly string[],
  words: (type: unknown) => string,
): Rule {
  return {
    ...evidence,
    refuses: `thinking that is not an object of the type ${types.join(' or ')}.`,
    example: { refused: { thinking: { type: 'adaptive' } }, taken: { thinking: { type: types.at(-1) } } },
    violation: ({ thinking }: Body) => {
      if (thinking === undefined || thinking === null) return undefined;
      const type = objectIn(thinking)?.type;
      return types.includes(String(type)) ? undefined : words(type);
    },
  };
}
