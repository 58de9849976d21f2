/** Names of tools, which clients, their servers and other models made up, in the form that the host takes. */
import { sha256Hex } from '../../../base/ids.js';
import { textKey } from '../../../base/text.js';
import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { ChatBody, ChatMessage, ChatTool, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import type { ChatCall } from '../step.js';
import { mapped, withBody } from '../step.js';

/** What the names were, by what they are sent as; empty where all are sent as they are. */
export type RenamedTools = ReadonlyMap<string, string>;

/** All are sent as they are. */
export const AS_GIVEN: RenamedTools = new Map();

/** The chat with names that the host takes, wherever they stand, and how to read them in its answer. */
export function fitToolNames(
  call: ChatCall,
  contract: ChatContract,
): { call: ChatCall; names: RenamedTools } {
  const { body } = call;
  const rule = nameRuleOf(contract);
  if (rule === undefined) return { call, names: AS_GIVEN };
  const given = new Set(namesIn(body));
  const strangers = [...given].filter((name) => !isTaken(name, rule));
  if (strangers.length === 0) return { call, names: AS_GIVEN };
  const sent = renamedAs(given, rule);
  const fitted = (name: string) => sent.get(textKey(name)) ?? name;
  return {
    call: withBody(call, renamed(body, fitted)),
    names: new Map(strangers.map((name) => [fitted(name), name])),
  };
}

/** What each name is sent as that the rule does not take, by its key. No name of `given` is taken twice. */
export function renamedAs(given: Set<string>, rule: NameRule): ReadonlyMap<string, string> {
  const sent = new Map<string, string>();
  const strangers = [...given].filter((name) => !isTaken(name, rule));
  for (const name of strangers) sent.set(textKey(name), unused(name, rule, given));
  return sent;
}

export interface NameRule {
  readonly strangers: RegExp;
  readonly start: RegExp;
  readonly min: number;
  readonly max: number;
}

const STRANGERS: Readonly<Record<Exclude<ChatContract['toolNames'], 'any'>, RegExp>> = {
  word: /[^a-zA-Z0-9_]/g,
  plain: /[^a-zA-Z0-9_-]/g,
  dotted: /[^a-zA-Z0-9_.-]/g,
};

const STARTS: Readonly<Record<ChatContract['toolNameStart'], RegExp>> = {
  any: /./s,
  word: /^[a-zA-Z_]/,
  letter: /^[a-zA-Z]/,
};

/** Begins a name that begins with nothing that is taken. */
const PREFIXES = ['_', 't_'];

/** How names must be; undefined where any is taken. */
export function nameRuleOf({
  toolNames,
  toolNameStart,
  minToolName,
  maxToolName,
}: ChatContract): NameRule | undefined {
  if (toolNames === 'any') return undefined;
  return {
    strangers: STRANGERS[toolNames],
    start: STARTS[toolNameStart],
    min: Math.max(1, minToolName),
    max: maxToolName ?? Number.POSITIVE_INFINITY,
  };
}

function isTaken(name: string, { strangers, start, min, max }: NameRule): boolean {
  return name.length >= min && name.length <= max && start.test(name) && name.search(strangers) === -1;
}

/** Characters of the hash that tells names apart which would be the same. */
const HASH_CHARACTERS = 8;

/** A name as like as can be to the given one, which no other tool has; taken from then on. */
function unused(name: string, rule: NameRule, taken: Set<string>): string {
  const plain = name.slice(0, rule.max).replaceAll(rule.strangers, '_');
  const [prefix = ''] = rule.start.test(plain) ? [] : PREFIXES.filter((one) => rule.start.test(one));
  const started = `${prefix}${plain}`;
  let sent = started.slice(0, rule.max).padEnd(rule.min, '_');
  const isCut = name.length > rule.max || started.length > rule.max;
  for (let again = 0; taken.has(sent) || (isCut && again === 0); again += 1) {
    const hash = sha256Hex(`${name}#${again}`).slice(0, HASH_CHARACTERS);
    sent = `${started.slice(0, rule.max - HASH_CHARACTERS - 1)}_${hash}`;
  }
  taken.add(sent);
  return sent;
}

function namesIn({ messages, tools, tool_choice }: ChatBody): string[] {
  return [
    ...elements(tools).flatMap((tool) => nameIn(members(tool))),
    ...choicesIn(tool_choice).flatMap(nameIn),
    ...messages.flatMap(({ tool_calls }) => elements(tool_calls).flatMap((call) => nameIn(members(call)))),
    ...messages.flatMap(({ role, name }) => (role === 'tool' && textOf(name) ? [String(name)] : [])),
  ];
}

function nameIn({ function: named, custom }: JsonObject): string[] {
  const { name } = members(named ?? custom);
  return typeof name === 'string' ? [name] : [];
}

/** What a choice names: one function, or those that are allowed. */
function choicesIn(choice: unknown): readonly JsonObject[] {
  const { allowed_tools } = members(choice);
  return isObject(allowed_tools) ? elements(allowed_tools.tools).filter(isObject) : [members(choice)];
}

function renamed(
  { messages, tools, tool_choice }: ChatBody,
  fitted: (name: string) => string,
): Partial<ChatBody> {
  return {
    messages: mapped(messages, (message) => messageRenamed(message, fitted)),
    ...(Array.isArray(tools) && {
      tools: mapped(tools as readonly ChatTool[], (tool) => called(tool, fitted)),
    }),
    ...(isObject(tool_choice) && { tool_choice: choiceRenamed(tool_choice, fitted) }),
  };
}

function messageRenamed(message: ChatMessage, fitted: (name: string) => string): ChatMessage {
  const { role, name, tool_calls } = message;
  if (role === 'tool' && typeof name === 'string') {
    return fitted(name) === name ? message : { ...message, name: fitted(name) };
  }
  if (!Array.isArray(tool_calls)) return message;
  const calls = mapped(tool_calls as readonly ToolCall[], (call) => called(call, fitted));
  return calls === tool_calls ? message : { ...message, tool_calls: calls };
}

function choiceRenamed(choice: JsonObject, fitted: (name: string) => string): JsonObject {
  const { allowed_tools } = choice;
  if (!isObject(allowed_tools)) return called(choice, fitted);
  const tools = elements(allowed_tools.tools).map((tool) => (isObject(tool) ? called(tool, fitted) : tool));
  return { ...choice, allowed_tools: { ...allowed_tools, tools } };
}

/** A tool, call or choice whose function, or custom tool, is called by the fitted name. */
function called<T extends JsonObject>(owner: T, fitted: (name: string) => string): T {
  const kind = isObject(owner.function) ? 'function' : 'custom';
  const named = owner[kind];
  if (!isObject(named) || typeof named.name !== 'string') return owner;
  const name = fitted(named.name);
  return name === named.name ? owner : { ...owner, [kind]: { ...named, name } };
}
