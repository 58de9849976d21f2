/** Names of tools in the form that the API takes, wherever they stand. */
import { textKey } from '../../base/text.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';
import { AS_GIVEN, type RenamedTools, renamedAs } from '../fit/chat/tool-names.js';
import { mapped } from '../fit/step.js';
import { type MessagesCall, withMembers } from './step.js';
import { isOwn } from './tools.js';

const PLAIN = /^[a-zA-Z0-9_-]+$/;

/** The request with such names, and what they were. */
export function fitNames(
  call: MessagesCall,
  maxToolName: number,
): { readonly call: MessagesCall; readonly names: RenamedTools } {
  const rule = { strangers: /[^a-zA-Z0-9_-]/g, start: /./s, min: 1, max: maxToolName };
  const given = new Set<string>();
  let isTaken = true;
  eachName(call.body, (name) => {
    given.add(name);
    isTaken &&= name.length <= maxToolName && PLAIN.test(name);
  });
  if (isTaken) return { call, names: AS_GIVEN };
  const originals = [...given];
  const sent = renamedAs(given, rule);
  const fitted = (name: string) => sent.get(textKey(name)) ?? name;
  const strangers = originals.filter((name) => sent.has(textKey(name)));
  return {
    call: withMembers(call, renamed(call.body, fitted)),
    names: new Map(strangers.map((name) => [fitted(name), name])),
  };
}

function eachName(body: JsonObject, look: (name: string) => void): void {
  for (const tool of elements(body.tools)) if (isObject(tool) && isOwn(tool)) lookAt(tool.name, look);
  const choice = members(body.tool_choice);
  if (choice.type === 'tool') lookAt(choice.name, look);
  for (const message of elements(body.messages))
    for (const block of elements(members(message).content))
      if (members(block).type === 'tool_use') lookAt(members(block).name, look);
}

function lookAt(name: unknown, look: (name: string) => void): void {
  look(typeof name === 'string' ? name : '');
}

function renamed(body: JsonObject, fitted: (name: string) => string): JsonObject {
  const called = <T>(owner: T, isMeant: (one: JsonObject) => boolean): T => {
    if (!isObject(owner) || !isMeant(owner)) return owner;
    const name = fitted(textOf(owner.name) ?? '');
    return name === owner.name ? owner : ({ ...owner, name } as T);
  };
  const isCall = ({ type }: JsonObject) => type === 'tool_use';
  return {
    ...(Array.isArray(body.tools) && { tools: mapped(body.tools, (tool: unknown) => called(tool, isOwn)) }),
    ...(isObject(body.tool_choice) && {
      tool_choice: called(body.tool_choice, ({ type }) => type === 'tool'),
    }),
    messages: mapped(elements(body.messages), (message) => {
      if (!isObject(message) || !Array.isArray(message.content)) return message;
      const content = mapped(message.content, (block: unknown) => called(block, isCall));
      return content === message.content ? message : { ...message, content };
    }),
  };
}
