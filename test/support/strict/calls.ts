/** Rules about calls in the history. */
import { type Body, callsOf, messagesOf, objectIn, placesOf } from './chat.js';
import { CALL, CALLING, called, calling, RESULT } from './examples.js';
import type { Evidence, Rule } from './rule.js';

/** Ids of calls, and those that results name, are of this form. */
export function callIds(
  evidence: Evidence,
  form: RegExp,
  words: (path: string, id: string) => string,
  bad = 'x'.repeat(65),
): Rule {
  return {
    ...evidence,
    refuses: `Ids of calls that are not of the form ${form.source}.`,
    example: { refused: called(calling({ id: bad }), { ...RESULT, tool_call_id: bad }), taken: called() },
    violation: (body) => {
      const calls = placesOf(body, 'call').map(({ path, value }) => ({ path: `${path}.id`, id: value.id }));
      const results = placesOf(body, 'message')
        .filter(({ value }) => value.role === 'tool')
        .map(({ path, value }) => ({ path: `${path}.tool_call_id`, id: value.tool_call_id }));
      const wrong = [...calls, ...results].find(({ id }) => !form.test(String(id)));
      return wrong === undefined ? undefined : words(wrong.path, String(wrong.id));
    },
  };
}

/** No two calls of one message have the same id. */
export function callIdsDiffer(evidence: Evidence, words: (id: string) => string): Rule {
  const two = { ...CALLING, tool_calls: [CALL, CALL] };
  return {
    ...evidence,
    refuses: 'Two calls of one message with the same id.',
    example: { refused: called(two), taken: called() },
    violation: (body) => {
      for (const message of messagesOf(body)) {
        const ids = callsOf(message).map(({ id }) => String(id));
        const twice = ids.find((id, index) => ids.indexOf(id) !== index);
        if (twice !== undefined) return words(twice);
      }
      return undefined;
    },
  };
}

/** Each result names its call. */
export function resultsNamed(evidence: Evidence, words: (index: number) => string): Rule {
  return {
    ...evidence,
    refuses: 'A result without tool_call_id.',
    example: { refused: called(CALLING, { role: 'tool', content: 'sunny' }), taken: called() },
    violation: (body) => {
      const index = messagesOf(body).findIndex(
        ({ role, tool_call_id }) => role === 'tool' && typeof tool_call_id !== 'string',
      );
      return index === -1 ? undefined : words(index);
    },
  };
}

/** Names of called functions are of this form, whoever invented them. */
export function calledNames(
  evidence: Evidence,
  form: RegExp,
  words: (path: string, name: string) => string,
): Rule {
  const named = calling({ function: { name: 'look up!', arguments: '{}' } });
  return {
    ...evidence,
    refuses: `Names of called functions that are not of the form ${form.source}.`,
    example: { refused: called(named), taken: called() },
    violation: (body) => {
      const wrong = placesOf(body, 'called function').find(({ value }) => !form.test(String(value.name)));
      return wrong === undefined ? undefined : words(`${wrong.path}.name`, String(wrong.value.name));
    },
  };
}

/** A list of calls is not empty. */
export function callsNotEmpty(evidence: Evidence, words: (index: number) => string): Rule {
  const said = { role: 'assistant', content: 'Hi', tool_calls: [] };
  const user = { role: 'user', content: 'Hello' };
  return {
    ...evidence,
    refuses: 'An empty list of calls.',
    example: { refused: { messages: [user, said, user] }, taken: called() },
    violation: (body) => {
      const index = messagesOf(body).findIndex(
        ({ tool_calls }) => Array.isArray(tool_calls) && tool_calls.length === 0,
      );
      return index === -1 ? undefined : words(index);
    },
  };
}

/** Arguments of calls are the text of a JSON object. */
export function argumentsParse(evidence: Evidence, words: (id: string) => string): Rule {
  const broken = calling({ function: { name: 'lookup', arguments: '' } });
  return {
    ...evidence,
    refuses: 'Arguments of a call that are no JSON.',
    example: { refused: called(broken), taken: called() },
    violation: (body) => {
      const wrong = placesOf(body, 'call').find(({ value }) => !isJson(objectIn(value.function)?.arguments));
      return wrong === undefined ? undefined : words(String(wrong.value.id));
    },
  };
}

function isJson(text: unknown): boolean {
  try {
    const value: Body | null = JSON.parse(String(text));
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
