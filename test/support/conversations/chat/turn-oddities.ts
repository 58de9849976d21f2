/** What is odd about the turns of a chat, and about how calls and results stand in it. */
import { text } from '../words.js';
import { callers, callsOf, change, indexesOf, messagesOf, type Oddity, partsOf } from './draft.js';
import { call, resultText } from './history.js';

export const TURN_ODDITIES: Readonly<Record<string, Oddity>> = {
  'a system message amid the chat': ({ messages }, rng) => {
    messages.splice(1 + rng.below(messages.length), 0, { role: 'system', content: text(rng) });
    return true;
  },
  'a system message at the end': ({ messages }, rng) => {
    messages.push({ role: 'system', content: text(rng) });
    return true;
  },
  'several system messages': ({ messages }, rng) => {
    messages.unshift({ role: 'system', content: text(rng) }, { role: 'system', content: text(rng) });
    return true;
  },
  'the role developer': (draft, rng) => {
    if (
      !change(rng, messagesOf(draft, 'system'), (message) => Object.assign(message, { role: 'developer' }))
    ) {
      draft.messages.unshift({ role: 'developer', content: text(rng) });
    }
    return true;
  },
  'two messages of the user': (draft, rng) => {
    const at = indexesOf(draft, 'user');
    if (at.length === 0) return false;
    draft.messages.splice(rng.pick(at), 0, { role: 'user', content: text(rng) });
    return true;
  },
  'two messages of the assistant': (draft, rng) => {
    const at = indexesOf(draft, 'assistant').filter(
      (index) => draft.messages[index]?.tool_calls === undefined,
    );
    if (at.length === 0) return false;
    draft.messages.splice(rng.pick(at), 0, { role: 'assistant', content: text(rng) });
    return true;
  },
  'the assistant first': (draft, rng) => {
    const at = draft.messages.findIndex(({ role }) => role === 'user');
    draft.messages.splice(Math.max(0, at), 0, { role: 'assistant', content: text(rng) });
    return true;
  },
  'an answer begun by the client': ({ messages }, rng) => {
    messages.push({ role: 'assistant', content: rng.chance(0.4) ? `{"answer": "${rng.hex(4)} ` : text(rng) });
    return true;
  },
  'the user right after a result': (draft, rng) => {
    const at = indexesOf(draft, 'tool').filter((index) => draft.messages[index + 1]?.role !== 'tool');
    if (at.length === 0) return false;
    draft.messages.splice(rng.pick(at) + 1, 0, { role: 'user', content: text(rng) });
    return true;
  },
  'the system right after a result': (draft, rng) => {
    const at = indexesOf(draft, 'tool');
    if (at.length === 0) return false;
    draft.messages.splice(rng.pick(at) + 1, 0, { role: 'system', content: text(rng) });
    return true;
  },
  'a history cut at its beginning': (draft, rng) => {
    const { messages } = draft;
    const at = indexesOf(draft, 'tool')[0];
    if (at === undefined) return false;
    const system = messages[0]?.role === 'system' && rng.chance(0.7) ? messages.slice(0, 1) : [];
    draft.messages = [...system, ...messages.slice(at)];
    return true;
  },
  'a history cut after a call': (draft, rng) => {
    const at = [...draft.messages.keys()].filter((index) => draft.messages[index]?.tool_calls !== undefined);
    if (at.length === 0) return false;
    draft.messages.length = rng.pick(at) + 1;
    return true;
  },
  'parallel calls': (draft, rng) => {
    const at = draft.messages.findIndex(({ tool_calls }) => tool_calls !== undefined);
    const first = draft.messages[at]?.tool_calls?.[0];
    if (first === undefined) return false;
    const more = [call(rng, first.function.name), call(rng, first.function.name)];
    draft.messages[at]?.tool_calls?.push(...more);
    const results = more.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: resultText(rng) }));
    draft.messages.splice(at + 1, 0, ...results);
    return true;
  },
  'a result that is missing': (draft, rng) => {
    const at = indexesOf(draft, 'tool');
    if (at.length === 0) return false;
    draft.messages.splice(rng.pick(at), 1);
    return true;
  },
  'a result that is late': (draft, rng) => {
    const at = indexesOf(draft, 'tool');
    if (at.length === 0) return false;
    draft.messages.push({ role: 'user', content: text(rng) }, ...draft.messages.splice(rng.pick(at), 1));
    return true;
  },
  'a result without a call': (draft, rng) => {
    const at = rng.below(draft.messages.length) + 1;
    draft.messages.splice(at, 0, {
      role: 'tool',
      tool_call_id: `call_${rng.hex(12)}`,
      content: resultText(rng),
    });
    return true;
  },
  'a result that comes twice': (draft, rng) => {
    const at = indexesOf(draft, 'tool');
    if (at.length === 0) return false;
    const index = rng.pick(at);
    const again = { ...draft.messages[index], role: 'tool', content: resultText(rng) };
    draft.messages.splice(index + 1, 0, again);
    return true;
  },
  'results in another order than the calls': (draft) => {
    for (const caller of callers(draft)) {
      const ids = caller.tool_calls?.map(({ id }) => id) ?? [];
      const at = [...draft.messages.keys()].filter((index) =>
        ids.includes(String(draft.messages[index]?.tool_call_id)),
      );
      const [one, other] = at;
      if (one === undefined || other === undefined) continue;
      const [first, second] = [draft.messages[one], draft.messages[other]];
      if (first === undefined || second === undefined) continue;
      draft.messages[one] = second;
      draft.messages[other] = first;
      return true;
    }
    return false;
  },
  'a call without type': (draft, rng) => {
    const calls = callsOf(draft);
    if (calls.length === 0) return false;
    Reflect.deleteProperty(rng.pick(calls), 'type');
    return true;
  },
  'content in parts': (draft, rng) =>
    change(
      rng,
      draft.messages.filter(({ content }) => typeof content === 'string'),
      (message) => {
        partsOf(message).push({ type: 'text', text: text(rng) });
      },
    ),
  'content null': (draft, rng) =>
    change(
      rng,
      draft.messages.filter(({ role }) => role === 'assistant' || role === 'tool'),
      (message) => {
        message.content = null;
      },
    ),
  'content empty': (draft, rng) =>
    change(rng, draft.messages, (message) => {
      message.content = '';
    }),
  'content without parts': (draft, rng) =>
    change(rng, draft.messages, (message) => {
      message.content = [];
    }),
  'content missing': (draft, rng) =>
    change(rng, callers(draft), (message) => {
      Reflect.deleteProperty(message, 'content');
    }),
  'blank text': (draft, rng) =>
    change(rng, draft.messages, (message) => {
      const blank = rng.pick([' ', '\n\n', '\t']);
      if (rng.chance(0.5)) message.content = blank;
      else partsOf(message).push({ type: 'text', text: blank });
    }),
  'a text that ends in blanks': (draft, rng) =>
    change(rng, messagesOf(draft, 'assistant'), (message) => {
      message.content = `${text(rng)} \n`;
    }),
};
