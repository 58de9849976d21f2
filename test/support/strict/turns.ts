/** Rules about who speaks when. */
import { type Body, callsOf, messagesOf } from './chat.js';
import { CALLING, called, RESULT, USER } from './examples.js';
import type { Evidence, Rule } from './rule.js';

const ASSISTANT: Body = { role: 'assistant', content: 'Hi' };

/** Refuses roles that are not among these. */
export function rolesKnown(
  evidence: Evidence,
  roles: readonly string[],
  words = (index: number, role: string) =>
    `messages[${index}].role: '${role}' is not one of ${roles.join(', ')}`,
): Rule {
  const stranger =
    ['developer', 'function', 'tool', 'critic'].find((role) => !roles.includes(role)) ?? 'critic';
  return {
    ...evidence,
    refuses: `Roles other than ${roles.join(', ')}.`,
    example: {
      refused: { messages: [{ role: stranger, name: 'x', content: 'x' }, USER] },
      taken: { messages: [USER] },
    },
    violation: (body) => {
      const roleOf = ({ role }: Body) => String(role);
      const index = messagesOf(body).findIndex((message) => !roles.includes(roleOf(message)));
      return index === -1 ? undefined : words(index, roleOf(messagesOf(body)[index] ?? {}));
    },
  };
}

/** Refuses a message of a role right after one of another; `forbidden` lists them as "previous next". */
export function orderOfRoles(evidence: Evidence, forbidden: readonly string[]): Rule {
  return {
    ...evidence,
    refuses: `A message right after another: ${forbidden.join(', ')} (previous, next).`,
    example: {
      refused: called(CALLING, RESULT, { role: 'user', content: 'Go on' }),
      taken: called(CALLING, RESULT, ASSISTANT, { role: 'user', content: 'Go on' }),
    },
    violation: (body) => {
      const roles = messagesOf(body).map(({ role }) => String(role));
      const index = roles.findIndex((role, at) => at > 0 && forbidden.includes(`${roles[at - 1]} ${role}`));
      return index === -1 ? undefined : `Unexpected role '${roles[index]}' after role '${roles[index - 1]}'`;
    },
  };
}

/** After system messages at the beginning, user and assistant take turns, the user first. */
export function alternating(evidence: Evidence, words: string): Rule {
  return {
    ...evidence,
    refuses:
      'Two turns of one side in a row, a system message after the beginning, an assistant that begins.',
    example: { refused: { messages: [USER, USER] }, taken: { messages: [USER, ASSISTANT, USER] } },
    violation: (body) => {
      const roles = messagesOf(body).map(({ role }) => role);
      const begin = roles.findIndex((role) => role !== 'system');
      const turns = begin === -1 ? [] : roles.slice(begin);
      const isRight = turns.every((role, at) => role === (at % 2 === 0 ? 'user' : 'assistant'));
      return isRight ? undefined : words;
    },
  };
}

/** The last message is of one of these roles, or the assistant's with a member that says to go on from it. */
export function lastMessage(
  evidence: Evidence,
  roles: readonly string[],
  words: string,
  prefix?: string,
): Rule {
  const taken = prefix === undefined ? [USER] : [USER, { ...ASSISTANT, [prefix]: true }];
  return {
    ...evidence,
    refuses: `A last message that is not of ${roles.join(' or ')}${prefix === undefined ? '' : `, but for one with ${prefix}`}.`,
    example: { refused: { messages: [USER, ASSISTANT] }, taken: { messages: taken } },
    violation: (body) => {
      const last = messagesOf(body).at(-1);
      if (last === undefined || roles.includes(String(last.role))) return undefined;
      return prefix !== undefined && last[prefix] === true
        ? undefined
        : words.replace('ROLE', String(last.role));
    },
  };
}

/** A message that is alone is of one of these roles. */
export function aloneMessage(
  evidence: Evidence,
  roles: readonly string[],
  prefix: string,
  words: string,
): Rule {
  const alone = (role: string) => ({
    messages: [{ role, content: 'Hi', ...(role === 'assistant' && { [prefix]: true }) }],
  });
  return {
    ...evidence,
    refuses: `A single message that is not of ${roles.join(' or ')}.`,
    example: { refused: alone('assistant'), taken: alone('user') },
    violation: (body) => {
      const [first, ...others] = messagesOf(body);
      return first === undefined || others.length > 0 || roles.includes(String(first.role))
        ? undefined
        : words;
    },
  };
}

/** A member that says to go on from a message is for the last one. */
export function prefixIsLast(evidence: Evidence, prefix: string, words: string): Rule {
  const begun = { ...ASSISTANT, [prefix]: true };
  return {
    ...evidence,
    refuses: `${prefix} at a message that is not the last.`,
    example: { refused: { messages: [USER, begun, USER] }, taken: { messages: [USER, begun] } },
    violation: (body) =>
      messagesOf(body)
        .slice(0, -1)
        .some((message) => message[prefix] === true)
        ? words
        : undefined,
  };
}

/** Some message is the user's. */
export function someoneAsks(evidence: Evidence, words: string): Rule {
  return {
    ...evidence,
    refuses: 'A conversation without a message of the user.',
    example: {
      refused: { messages: [{ role: 'system', content: 'Be kind.' }] },
      taken: { messages: [USER] },
    },
    violation: (body) => (messagesOf(body).some(({ role }) => role === 'user') ? undefined : words),
  };
}

/** Each call has its result among the tool messages right after it. */
export function callsAnswered(evidence: Evidence, words: string): Rule {
  return {
    ...evidence,
    refuses: 'A call without a result right after it.',
    example: { refused: called(CALLING, USER), taken: called() },
    violation: (body) => {
      const messages = messagesOf(body);
      const open = messages.flatMap((message, index) => {
        const results = new Set(resultsAfter(messages, index).map(({ tool_call_id }) => tool_call_id));
        return callsOf(message).filter(({ id }) => !results.has(id));
      });
      return open.length === 0
        ? undefined
        : `${words}${words.endsWith(': ') ? open.map(({ id }) => id).join(', ') : ''}`;
    },
  };
}

/** Each result follows the calls of an assistant, and answers one of them, once. */
export function resultsCalled(evidence: Evidence, words: string): Rule {
  return {
    ...evidence,
    refuses: 'A result that no call right before it asked for, or that comes twice.',
    example: { refused: { ...called(), messages: [USER, RESULT] }, taken: called() },
    violation: (body) => {
      const messages = messagesOf(body);
      const expected = messages.map((message, index) => {
        const ids = resultsAfter(messages, index).map(({ tool_call_id }) => tool_call_id);
        const calls = callsOf(message).map(({ id }) => id);
        return new Set(ids).size === ids.length && ids.every((id) => calls.includes(id)) ? ids.length : 0;
      });
      const results = messages.filter(({ role }) => role === 'tool').length;
      return expected.reduce((sum, count) => sum + count, 0) === results ? undefined : words;
    },
  };
}

/** Calls follow what the user said or what tools have answered, not what the model has just said. */
export function callsFollow(evidence: Evidence, words: string): Rule {
  return {
    ...evidence,
    refuses: 'Calls that neither a message of the user nor a result is right before.',
    example: { refused: { ...called(), messages: [USER, ASSISTANT, CALLING, RESULT] }, taken: called() },
    violation: (body) => {
      const messages = messagesOf(body).filter(({ role }) => role !== 'system');
      const isWrong = messages.some(
        (message, at) =>
          callsOf(message).length > 0 && !['user', 'tool'].includes(String(messages[at - 1]?.role)),
      );
      return isWrong ? words : undefined;
    },
  };
}

/** The tool messages right after one that is not. */
function resultsAfter(messages: readonly Body[], index: number): readonly Body[] {
  if (messages[index]?.role === 'tool') return [];
  const after = messages.slice(index + 1);
  const end = after.findIndex(({ role }) => role !== 'tool');
  return end === -1 ? after : after.slice(0, end);
}
