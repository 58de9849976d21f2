/** What is odd about turns, calls, ids and names, and halves of characters anywhere. */
import { bigInput } from '../arguments.js';
import { IDS, INVENTED } from '../names.js';
import type { Rng } from '../rng.js';
import { half, text } from '../words.js';
import {
  allBlocks,
  type Block,
  blocksOf,
  change,
  type MessagesDraft,
  type Oddity,
  renameId,
  sayings,
  turnsOf,
} from './draft.js';
import { call, result } from './history.js';

function changeCall(draft: MessagesDraft, rng: Rng, how: (call: Block) => void): boolean {
  return change(rng, allBlocks(draft, 'tool_use'), how);
}

function withResults(draft: MessagesDraft) {
  return draft.messages.filter(
    ({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'tool_result'),
  );
}

function remove(draft: MessagesDraft, block: Block): void {
  for (const turn of draft.messages) {
    if (Array.isArray(turn.content)) turn.content = turn.content.filter((other) => other !== block);
  }
  draft.messages = draft.messages.filter(({ content }) => content.length > 0);
}

export const TURN_ODDITIES: Readonly<Record<string, Oddity>> = {
  'two turns of the user': (draft, rng) =>
    change(rng, sayings(draft), (turn) => {
      draft.messages.splice(draft.messages.indexOf(turn), 0, { role: 'user', content: text(rng) });
    }),
  'the assistant first': ({ messages }, rng) => {
    messages.unshift({ role: 'assistant', content: text(rng) });
    return true;
  },
  'a message of the system amid the conversation': (draft, rng) => {
    const at = sayings(draft).map((turn) => draft.messages.indexOf(turn));
    draft.messages.splice((at.at(-1) ?? 0) + 1, 0, { role: 'system', content: text(rng) });
    draft.betas.push('mid-conversation-system-2026-04-07');
    return true;
  },
  'an answer begun by the client': ({ messages }, rng) => {
    messages.push({
      role: 'assistant',
      content: rng.chance(0.5) ? `{"answer": "${rng.hex(4)}` : [{ type: 'text', text: text(rng) }],
    });
    return true;
  },
  'an answer begun that ends in blanks': ({ messages }, rng) => {
    messages.push({ role: 'assistant', content: `${text(rng)} \n` });
    return true;
  },
  'the user beside a result': (draft, rng) =>
    change(rng, withResults(draft), (turn) => void blocksOf(turn).push({ type: 'text', text: text(rng) })),
  'the user before a result': (draft, rng) =>
    change(rng, withResults(draft), (turn) => void blocksOf(turn).unshift({ type: 'text', text: text(rng) })),
  'a history cut at its beginning': (draft) => {
    const [first] = withResults(draft);
    if (first === undefined) return false;
    draft.messages = draft.messages.slice(draft.messages.indexOf(first));
    return true;
  },
  'a history cut after a call': (draft) => {
    const [first] = withResults(draft);
    if (first === undefined) return false;
    draft.messages.length = draft.messages.indexOf(first);
    return draft.messages.length > 0;
  },
  'parallel calls': (draft, rng) =>
    change(rng, withResults(draft).slice(0, 1), (turn) => {
      const caller = draft.messages[draft.messages.indexOf(turn) - 1];
      if (caller === undefined) return;
      const more = [call(rng, 'bash'), call(rng, 'bash')];
      blocksOf(caller).push(...more);
      blocksOf(turn).unshift(...more.map(({ id }) => result(rng, String(id))));
    }),
  'a result that is missing': (draft, rng) =>
    change(rng, allBlocks(draft, 'tool_result'), (block) => remove(draft, block)),
  'a result that is late': (draft, rng) =>
    change(rng, allBlocks(draft, 'tool_result'), (block) => {
      remove(draft, block);
      draft.messages.push({ role: 'user', content: [block, { type: 'text', text: text(rng) }] });
    }),
  'a result without a call': (draft, rng) =>
    change(rng, turnsOf(draft, 'user'), (turn) => void blocksOf(turn).unshift(result(rng, IDS.claude(rng)))),
  'a result that comes twice': (draft, rng) =>
    change(rng, withResults(draft), (turn) => {
      const block = blocksOf(turn).find(({ type }) => type === 'tool_result');
      if (block !== undefined) blocksOf(turn).unshift(result(rng, String(block.tool_use_id)));
    }),
  'results in another order than the calls': (draft) => {
    const turn = withResults(draft).find(
      (one) => blocksOf(one).filter(({ type }) => type === 'tool_result').length > 1,
    );
    if (turn !== undefined) turn.content = blocksOf(turn).toReversed();
    return turn !== undefined;
  },
  ...Object.fromEntries(
    (Object.keys(IDS) as (keyof typeof IDS)[])
      .filter((family) => family !== 'claude')
      .map((family): [string, Oddity] => [
        `ids: ${family}`,
        (draft, rng) => {
          for (const block of allBlocks(draft, 'tool_use')) renameId(draft, block, IDS[family](rng));
          return allBlocks(draft, 'tool_use').length > 0;
        },
      ]),
  ),
  'ids: repeated': (draft) => {
    const [one, other] = allBlocks(draft, 'tool_use');
    if (one !== undefined && other !== undefined) renameId(draft, other, String(one.id));
    return other !== undefined;
  },
  'ids: two long ones that begin alike': (draft, rng) => {
    const [one, other] = allBlocks(draft, 'tool_use');
    const head = `toolu_${rng.hex(70)}`;
    if (one !== undefined && other !== undefined) {
      renameId(draft, one, `${head}_one`);
      renameId(draft, other, `${head}_other`);
    }
    return other !== undefined;
  },
  ...Object.fromEntries(
    (Object.keys(INVENTED) as (keyof typeof INVENTED)[]).map((kind): [string, Oddity] => [
      `an invented name: ${kind}`,
      (draft, rng) =>
        changeCall(draft, rng, (block) => {
          block.name = INVENTED[kind](rng);
        }),
    ]),
  ),
  'names that become equal when they are cleaned': (draft, rng) => {
    const [one, other] = allBlocks(draft, 'tool_use');
    const tail = rng.hex(3);
    if (one !== undefined && other !== undefined) {
      one.name = `fs.read/${tail}`;
      other.name = `fs_read_${tail}`;
    }
    return other !== undefined;
  },
  'integers beyond 2^53': (draft, rng) =>
    changeCall(draft, rng, (block) => {
      block.input = bigInput(rng);
    }),
  'input that is empty': (draft, rng) =>
    changeCall(draft, rng, (block) => {
      block.input = {};
    }),
  'half a character in a text': (draft, rng) =>
    change(
      rng,
      draft.messages.filter(({ role }) => role !== 'system'),
      (turn) => void blocksOf(turn).push({ type: 'text', text: `${text(rng)}${half(rng)}!` }),
    ),
  'half a character in a name': (draft, rng) =>
    changeCall(draft, rng, (block) => {
      block.name = `read${half(rng)}`;
    }),
  'half a character in an id': (draft, rng) =>
    changeCall(draft, rng, (block) => renameId(draft, block, `toolu_${half(rng)}${rng.hex(4)}`)),
  'half a character in input': (draft, rng) =>
    changeCall(draft, rng, (block) => {
      block.input = { note: `${text(rng)}${half(rng)}` };
    }),
  'half a character in a result': (draft, rng) =>
    change(rng, allBlocks(draft, 'tool_result'), (block) => {
      block.content = `${text(rng)}${half(rng)}`;
    }),
  'a blank text': (draft, rng) =>
    change(
      rng,
      draft.messages,
      (turn) => void blocksOf(turn).push({ type: 'text', text: rng.pick(['', ' ', '\n']) }),
    ),
};
