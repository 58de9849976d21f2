/** Translates `instructions` and `input` to the messages of a chat. */
import { exactJson } from '../../base/json/json-body.js';
import { contentOf } from '../chat/content.js';
import type { ChatMessage, ContentPart, JsonObject } from '../chat/types.js';
import { isObject, textOf } from '../json.js';
import type { Findings } from '../reading/findings.js';
import { COMPACTED, compactedText, outputParts, partsOf, readableText } from './content.js';
import { argumentsOfInput } from './custom-input.js';
import { nameInChat } from './tool-names.js';
import { InputTurns } from './turns.js';
import type { ResponsesBody } from './types.js';

export function chatMessagesOf({ instructions, input }: ResponsesBody, findings: Findings): ChatMessage[] {
  const reading = new InputReading(findings);
  const told = textOf(instructions);
  if (told !== undefined) reading.conversation.add({ role: 'developer', content: told });
  if (typeof input === 'string') reading.conversation.add({ role: 'user', content: input });
  else if (Array.isArray(input)) reading.read(input);
  else findings.refuse('input', 'required', 'must be a string or a list of items');
  return reading.conversation.messages(findings);
}

interface Item {
  readonly item: JsonObject;
  readonly field: string;
  /** Whether nothing follows. */
  readonly isLast: boolean;
}

type ReadItem = (one: Item) => void;

class InputReading {
  readonly conversation = new InputTurns();
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  read(input: readonly unknown[]): void {
    for (const [position, item] of input.entries()) {
      const field = `input[${position}]`;
      if (isObject(item)) this.#item({ item, field, isLast: position === input.length - 1 });
      else this.#findings.refuse(field, 'type', 'must be an object with a type');
    }
  }

  #item(one: Item): void {
    const type = textOf(one.item.type) ?? (one.item.role === undefined ? undefined : 'message');
    if (type === undefined) {
      this.#findings.refuse(one.field, 'type', 'must have a type, or a role');
      return;
    }
    const read = this.#readers.get(type);
    if (read !== undefined) read(one);
    else this.#unknown(type, one);
  }

  /** By the item's type. */
  readonly #readers: ReadonlyMap<string, ReadItem> = new Map<string, ReadItem>([
    ['message', (one) => this.#message(one)],
    ['reasoning', ({ item }) => this.conversation.turn.think(item)],
    ['function_call', (one) => this.#call(one, 'arguments')],
    ['custom_tool_call', (one) => this.#call(one, 'input')],
    ['function_call_output', (one) => this.#output(one)],
    ['custom_tool_call_output', (one) => this.#output(one)],
    ['agent_message', (one) => this.#agentMessage(one)],
    ...[...COMPACTED].map((type): [string, ReadItem] => [type, (one) => this.#compaction(one)]),
    ['compaction_trigger', (one) => this.#trigger(one)],
    // Its tools are read with those of the request.
    ['additional_tools', () => undefined],
    ...UNSAID.map((type): [string, ReadItem] => [type, () => this.#findings.omit(type)]),
  ]);

  #message({ item, field }: Item): void {
    const role = textOf(item.role) ?? '';
    const parts = partsOf(item.content, `${field}.content`, this.#findings);
    if (!ROLES.has(role)) {
      this.#findings.refuse(`${field}.role`, 'enum', `must be ${[...ROLES].join(', ')}`);
    } else if (role === 'assistant') {
      for (const { type } of parts) if (!SAID.has(type)) this.#findings.omit(type);
      if (parts.length > 0) this.conversation.turn.say(parts.filter(({ type }) => SAID.has(type)));
    } else this.#say(role, parts);
  }

  #say(role: string, parts: readonly ContentPart[]): void {
    if (parts.length > 0) this.conversation.add({ role, content: contentOf(parts, '\n\n') });
  }

  #call({ item, field }: Item, given: 'arguments' | 'input'): void {
    const { name, namespace } = item;
    const id = textOf(item.call_id) ?? textOf(item.id);
    // Models have called tools by no name at all, and histories keep that.
    const isNamed = typeof name === 'string';
    if (id === undefined) this.#findings.refuse(`${field}.call_id`, 'required', 'must identify the call');
    if (!isNamed) this.#findings.refuse(`${field}.name`, 'required', 'must name the tool');
    const said = textIn(item[given]);
    this.conversation.call(id ?? '', {
      id: id ?? '',
      type: 'function',
      function: {
        name: nameInChat({ name: isNamed ? name : '', namespace: textOf(namespace) ?? null }),
        arguments: given === 'input' ? argumentsOfInput(said) : said,
      },
    });
  }

  /** One that names no call, as those of automations, is what the user says. */
  #output({ item, field }: Item): void {
    const id = textOf(item.call_id);
    const parts = outputParts(item.output, `${field}.output`, this.#findings);
    if (id === undefined) this.#say('user', parts);
    else this.conversation.answer(id, { role: 'tool', tool_call_id: id, content: contentOf(parts, '\n') });
  }

  #agentMessage({ item, field }: Item): void {
    const parts = partsOf(item.content, `${field}.content`, this.#findings);
    if (parts.length === 0) this.#findings.omit('agent_message');
    else this.conversation.add({ role: 'user', content: contentOf(parts, '') });
  }

  /** The conversation is in it, so that without it the answer would be to another question. */
  #compaction({ item, field }: Item): void {
    const text = compactedText(item);
    if (text !== undefined) this.#say('user', [{ type: 'text', text }]);
    else {
      const message =
        'holds a conversation that only the provider which compacted it can read: send the conversation itself';
      this.#findings.refuse(field, 'unsupported', message);
    }
  }

  /** At the end it asks for an item that the client goes on with, and for no answer. */
  #trigger({ field, isLast }: Item): void {
    const message =
      'asks the provider to compact the conversation, which only some of the Responses API do: ask for a summary in words';
    if (isLast) this.#findings.refuse(field, 'unsupported', message);
    else this.#findings.omit('compaction_trigger');
  }

  /** What there is to read in it: the assistant's where it is a tool that its host ran, else the user's. */
  #unknown(type: string, { item, field }: Item): void {
    this.#findings.omit(type);
    const parts = OUTPUT.test(type)
      ? outputParts(item.output, `${field}.output`, this.#findings)
      : partsOf(readableText(item), field, this.#findings);
    if (parts.length === 0) return;
    if (OF_HOST.test(type)) this.conversation.turn.say(parts);
    else this.#say('user', parts);
  }
}

const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer']);

/** Parts that an assistant's message in a chat may have. */
const SAID: ReadonlySet<string> = new Set(['text', 'refusal']);

/** Items without anything that a model would read. */
const UNSAID = [
  ...['item_reference', 'agent_reasoning', 'mcp_list_tools', 'mcp_approval_response', 'tool_search_call'],
  ...['tool_search_output', 'image_generation_call'],
];

const OUTPUT = /_output$/;
const OF_HOST = /(?:_call|^mcp_approval_request|^program)$/;

function textIn(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : exactJson(value);
}
