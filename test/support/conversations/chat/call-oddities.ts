/** What is odd about ids, names and arguments of calls, and halves of characters anywhere. */
import { bigInput, ODD_ARGUMENTS } from '../arguments.js';
import { exactText } from '../exact-json.js';
import { IDS, INVENTED } from '../names.js';
import type { Rng } from '../rng.js';
import { half, text } from '../words.js';
import {
  type Call,
  type ChatDraft,
  callers,
  callsOf,
  change,
  messagesOf,
  type Oddity,
  partsOf,
  renameId,
} from './draft.js';

/** Ids of one provider, where another is to go on. */
function idsOf(family: keyof typeof IDS): Oddity {
  return (draft, rng) => {
    for (const call of callsOf(draft)) renameId(draft, call, IDS[family](rng));
    return callsOf(draft).length > 0;
  };
}

function changeCall(draft: ChatDraft, rng: Rng, how: (call: Call) => void): boolean {
  const calls = callsOf(draft);
  if (calls.length === 0) return false;
  how(rng.pick(calls));
  return true;
}

export const CALL_ODDITIES: Readonly<Record<string, Oddity>> = {
  ...Object.fromEntries(
    (Object.keys(IDS) as (keyof typeof IDS)[])
      .filter((family) => family !== 'openai')
      .map((family) => [`ids: ${family}`, idsOf(family)]),
  ),
  'ids: names of functions': (draft) => {
    for (const call of callsOf(draft)) renameId(draft, call, call.function.name);
    return callsOf(draft).length > 0;
  },
  'ids: the same in every answer': (draft) => {
    const all = callers(draft);
    if (all.length < 2) return false;
    for (const caller of all) {
      const end = draft.messages.indexOf(caller);
      for (const [index, call] of (caller.tool_calls ?? []).entries()) {
        const result = draft.messages.slice(end).find(({ tool_call_id }) => tool_call_id === call.id);
        call.id = `call_${index}`;
        if (result) result.tool_call_id = call.id;
      }
    }
    return true;
  },
  'ids: the same in one answer': (draft) => {
    const caller = callers(draft).find(({ tool_calls = [] }) => tool_calls.length > 1);
    for (const call of caller?.tool_calls ?? []) renameId(draft, call, 'call_same');
    return caller !== undefined;
  },
  'ids: two long ones that begin alike': (draft, rng) => {
    const [one, other] = callsOf(draft);
    if (one === undefined || other === undefined) return false;
    const head = `call_${rng.hex(70)}`;
    renameId(draft, one, `${head}_one`);
    renameId(draft, other, `${head}_other`);
    return true;
  },
  'ids: empty': (draft, rng) => changeCall(draft, rng, (call) => renameId(draft, call, '')),
  ...Object.fromEntries(
    (Object.keys(INVENTED) as (keyof typeof INVENTED)[]).map((kind): [string, Oddity] => [
      `an invented name: ${kind}`,
      (draft, rng) =>
        changeCall(draft, rng, (call) => {
          call.function.name = INVENTED[kind](rng);
        }),
    ]),
  ),
  'names that become equal when they are cleaned': (draft, rng) => {
    const [one, other] = callsOf(draft);
    if (one === undefined || other === undefined) return false;
    const tail = rng.hex(3);
    one.function.name = `fs.read/${tail}`;
    other.function.name = `fs_read_${tail}`;
    return true;
  },
  'long names that begin alike': (draft, rng) => {
    const [one, other] = callsOf(draft);
    if (one === undefined || other === undefined) return false;
    const head = `mcp__${'long_'.repeat(14)}${rng.hex(3)}`;
    one.function.name = `${head}_one`;
    other.function.name = `${head}_other`;
    return true;
  },
  'integers beyond 2^53': (draft, rng) =>
    changeCall(draft, rng, (call) => {
      call.function.arguments = exactText(bigInput(rng));
    }),
  ...Object.fromEntries(
    (Object.keys(ODD_ARGUMENTS) as (keyof typeof ODD_ARGUMENTS)[]).map((kind): [string, Oddity] => [
      `arguments: ${kind}`,
      (draft, rng) =>
        changeCall(draft, rng, (call) => {
          call.function.arguments = ODD_ARGUMENTS[kind](rng);
        }),
    ]),
  ),
  'half a character in a text': (draft, rng) =>
    change(rng, draft.messages, (message) => {
      partsOf(message).push({ type: 'text', text: `${text(rng)}${half(rng)}!` });
    }),
  'half a character in a name': (draft, rng) =>
    changeCall(draft, rng, (call) => {
      call.function.name = `read${half(rng)}`;
    }),
  'half a character in an id': (draft, rng) =>
    changeCall(draft, rng, (call) => renameId(draft, call, `call_${half(rng)}${rng.hex(4)}`)),
  'half a character in arguments': (draft, rng) =>
    changeCall(draft, rng, (call) => {
      call.function.arguments = JSON.stringify({ note: `${text(rng)}${half(rng)}` });
    }),
  'half a character in bare arguments': (draft, rng) =>
    changeCall(draft, rng, (call) => {
      call.function.arguments = `{"note": "${rng.hex(4)}${half(rng)}"}`;
    }),
  'half a character in a result': (draft, rng) =>
    change(rng, messagesOf(draft, 'tool'), (message) => {
      message.content = `${text(rng)}${half(rng)}`;
    }),
};
