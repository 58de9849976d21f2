/** What clients, gateways and other hosts leave in a history, each as it was reported. */
import { change, type Item, itemsOf, type Oddity } from './draft.js';
import { said } from './history.js';

const CALLS = ['function_call', 'custom_tool_call'];
const OUTPUTS = ['function_call_output', 'custom_tool_call_output'];
const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const LONG = 'x'.repeat(80);

export const ITEM_ODDITIES: Readonly<Record<string, Oddity>> = {
  'ids of another gateway': (draft, rng) =>
    change(rng, itemsOf(draft, 'message', 'function_call', 'reasoning'), (item) => {
      item.id = `item_${rng.hex(24)}`;
    }),
  'ids that are UUIDs': (draft, rng) =>
    change(rng, itemsOf(draft, 'message'), (item) => {
      item.id = `019f629b-43ee-7a82-acb1-${rng.hex(12)}`;
    }),
  'ids that are very long': (draft, rng) =>
    change(rng, itemsOf(draft, 'message', 'reasoning'), (item) => {
      item.id = `${item.type === 'message' ? 'msg' : 'rs'}_${LONG}${rng.hex(8)}`;
    }),
  'ids that are empty, or null': (draft, rng) =>
    change(rng, itemsOf(draft, 'message', 'reasoning', 'function_call'), (item) => {
      item.id = rng.chance(0.5) ? '' : null;
    }),
  'an item twice': (draft, rng) =>
    change(rng, itemsOf(draft, 'message', 'reasoning'), (item) => {
      draft.input.splice(draft.input.indexOf(item), 0, structuredClone(item));
    }),
  'ids of calls that are very long': (draft, rng) =>
    change(rng, itemsOf(draft, ...CALLS), (item) => {
      const id = `call_${LONG}${rng.hex(8)}`;
      for (const output of itemsOf(draft, ...OUTPUTS))
        if (output.call_id === item.call_id) output.call_id = id;
      item.call_id = id;
    }),
  'a lost output': (draft, rng) =>
    change(rng, itemsOf(draft, ...OUTPUTS), (item) => remove(draft.input, item)),
  'a lost call': (draft, rng) => change(rng, itemsOf(draft, ...CALLS), (item) => remove(draft.input, item)),
  'an output without the id of its call': (draft, rng) =>
    change(rng, itemsOf(draft, 'function_call_output'), (item) => {
      delete item.call_id;
    }),
  'words between call and output': (draft, rng) =>
    change(rng, itemsOf(draft, ...OUTPUTS), (item) => {
      draft.input.splice(draft.input.indexOf(item), 0, said('user', `Wait ${rng.hex(6)}`));
    }),
  'arguments that are an object': (draft, rng) =>
    change(rng, itemsOf(draft, 'function_call'), (item) => {
      item.arguments = { cmd: rng.hex(4) };
    }),
  'arguments that are empty': (draft, rng) =>
    change(rng, itemsOf(draft, 'function_call'), (item) => {
      item.arguments = '';
    }),
  'outputs with an image': (draft, rng) =>
    change(rng, itemsOf(draft, 'function_call_output'), (item) => {
      item.output = [
        { type: 'input_text', text: `of ${rng.hex(6)}` },
        { type: 'input_image', image_url: `data:image/jpeg;base64,${PNG}` },
      ];
    }),
  'reasoning of another family': (draft, rng) =>
    change(rng, itemsOf(draft, 'reasoning'), (item) => {
      delete item.encrypted_content;
      item.content = [{ type: 'reasoning_text', text: `Hm ${rng.hex(4)}` }];
    }),
  'reasoning that is readable beside': (draft, rng) =>
    change(rng, itemsOf(draft, 'reasoning'), (item) => {
      item.content = [{ type: 'reasoning_text', text: `Hm ${rng.hex(4)}` }];
    }),
  'reasoning with nulls': (draft, rng) =>
    change(rng, itemsOf(draft, 'reasoning'), (item) => {
      item.status = null;
      item.encrypted_content = null;
    }),
  'reasoning without a summary': (draft, rng) =>
    change(rng, itemsOf(draft, 'reasoning'), (item) => {
      delete item.summary;
    }),
  'reasoning of which the answer is gone': (draft, rng) => {
    draft.input.push({ type: 'reasoning', id: `rs_${rng.hex(20)}`, summary: [], encrypted_content: 'gAAA' });
    if (rng.chance(0.5)) draft.input.push(said('user', `Go on ${rng.hex(6)}`));
    return true;
  },
  'messages without a type, and with a text alone': (draft, rng) =>
    change(rng, itemsOf(draft, 'message'), (item) => {
      const [part] = item.content as { text: string }[];
      item.content = part?.text ?? item.content;
      if (rng.chance(0.5)) delete (item as Partial<Item>).type;
    }),
  'parts of another role': (draft, rng) =>
    change(
      rng,
      itemsOf(draft, 'message').filter(({ content }) => Array.isArray(content)),
      (item) => {
        for (const part of item.content as { type: string }[])
          part.type = rng.pick(['text', 'input_text', 'output_text']);
      },
    ),
  'images as chats have them': (draft, rng) => {
    const image_url = { url: `data:image/png;base64,${PNG}`, detail: 'low' };
    draft.input.push({ type: 'message', role: 'user', content: [{ type: 'image_url', image_url }] });
    return rng.chance(2);
  },
};

export const MEMBER_ODDITIES: Readonly<Record<string, Oddity>> = {
  'names of tools with dots': (draft, rng) =>
    change(
      rng,
      draft.tools.filter(({ type }) => type === 'function'),
      (tool) => {
        const name = `files.${tool.name}`;
        for (const item of itemsOf(draft, 'function_call')) if (item.name === tool.name) item.name = name;
        tool.name = name;
      },
    ),
  'a union of parameters': (draft, rng) =>
    change(
      rng,
      draft.tools.filter(({ type }) => type === 'function'),
      (tool) => {
        tool.parameters = {
          anyOf: [
            { type: 'object', properties: { a: {} } },
            { type: 'object', properties: { b: {} } },
          ],
        };
      },
    ),
  'no parameters': (draft, rng) =>
    change(
      rng,
      draft.tools.filter(({ type }) => type === 'function'),
      (tool) => {
        tool.parameters = rng.chance(0.5) ? null : {};
      },
    ),
  'no tools any more': (draft, rng) => {
    draft.tools = [];
    draft.members.tool_choice = rng.pick(['auto', 'required', { type: 'function', name: 'gone' }]);
    return true;
  },
  'a choice of a tool that is not there': member('tool_choice', () => ({ type: 'function', name: 'gone' })),
  'encrypted reasoning': member('include', () => ['reasoning.encrypted_content']),
  efforts: member('reasoning', (rng) => ({
    effort: rng.pick(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
    summary: 'auto',
  })),
  temperature: member('temperature', (rng) => rng.pick([0, 0.7, 1])),
  top_p: member('top_p', () => 0.9),
  verbosity: member('text', (rng) => ({ verbosity: rng.pick(['low', 'medium', 'high']) })),
  'JSON of which nothing speaks': member('text', () => ({ format: { type: 'json_object' } })),
  'usage of streams': member('stream_options', () => ({ include_usage: true })),
  'a long key': member('prompt_cache_key', (rng) => `${LONG}${rng.hex(6)}`),
  'what Codex tells': member('client_metadata', () => ({ thread: '1' })),
  'members that nobody knows': member('new_member', () => ({ a: 1 })),
};

function member(name: string, made: (rng: Parameters<Oddity>[1]) => unknown): Oddity {
  return (draft, rng) => {
    draft.members[name] = made(rng);
    return true;
  };
}

function remove(items: Item[], item: Item): void {
  items.splice(items.indexOf(item), 1);
}
