/** What a chat uses that not all hosts take: `docs/providers/README.md#contracts`. */
import type { ChatContract } from '../../catalog/chat-contract.js';
import { elements, isObject, type JsonObject, members, textOf } from '../json.js';
import { asksForNothing } from './no-demand.js';
import { untakenOwnTools } from './own-tools.js';
import { kindOf, type PartKind, type Role, roleOf, untakenPart } from './part-kind.js';
import type { ContentPart } from './types.js';
import type { Untaken, Uses } from './untaken.js';

/** The first part of its kind. */
interface UsedPart {
  readonly field: string;
  readonly role: Role;
  readonly kind: PartKind;
}

export function usesOfChat(chat: JsonObject): Uses<'chat'> {
  const parts = partsIn(elements(chat.messages));
  const tools = elements(chat.tools).length + elements(chat.functions).length;
  const isNoTools = chat.tools === undefined || chat.tools === null;
  return {
    isPlain: parts.length === 0 && tools === 0,
    untakenBy: (contract) => [
      ...parts.flatMap(({ field, role, kind }): Untaken[] => {
        const rule = untakenPart(kind, role, contract);
        return rule === undefined ? [] : [{ field, rule, kind }];
      }),
      ...tooMany(isNoTools ? 'functions' : 'tools', contract.tools ? tools : 0, contract.maxTools),
      ...[untakenOwnTools(chat, contract) ?? []].flat(),
    ],
    unsupportedBy: (contract) => unsupportedSampling(chat, contract),
    pathOf: (kind) => parts.find((part) => keyOf(part.role, part.kind) === keyOf(part.role, kind))?.field,
  };
}

/** One part of each kind that is no text. */
function partsIn(messages: readonly unknown[]): readonly UsedPart[] {
  const found = new Map<string, UsedPart>();
  for (const [at, message] of messages.entries()) {
    const { role, content } = members(message);
    if (!Array.isArray(content)) continue;
    for (const [index, part] of content.entries()) {
      if (!isObject(part) || part.type === 'text' || textOf(part.type) === undefined) continue;
      const speaker = roleOf({ role: String(role) });
      const kind = kindOf(part as ContentPart);
      const key = keyOf(speaker, kind);
      if (!found.has(key))
        found.set(key, { field: `messages[${at}].content[${index}]`, role: speaker, kind });
    }
  }
  return [...found.values()];
}

function keyOf(role: Role, { type, image, file }: PartKind): string {
  return [role, type, image, file].join(' ');
}

/** Parameters without which the answer is still one to the same question. */
const SAMPLING = [
  ...['n', 'temperature', 'top_p', 'top_k', 'min_p', 'top_a', 'stop', 'seed', 'logit_bias', 'logprobs'],
  ...['top_logprobs', 'frequency_penalty', 'presence_penalty', 'repetition_penalty'],
];

function unsupportedSampling(chat: JsonObject, contract: ChatContract): readonly Untaken[] {
  const { takenMembers, refusedMembers } = contract;
  const given = SAMPLING.filter(
    (name) => chat[name] !== undefined && chat[name] !== null && !asksForNothing(name, chat[name]),
  );
  const isTaken = (name: string) =>
    !refusedMembers.includes(name) && (takenMembers === null || takenMembers.includes(name));
  return [
    ...given.filter((name) => !isTaken(name)).map((field) => ({ field, rule: `no ${field}` })),
    ...tooMany('stop', elements(chat.stop).length, contract.maxStops),
    ...tooMany('n', chat.n, contract.maxChoices),
    ...tooMany('temperature', chat.temperature, contract.maxTemperature),
    ...tooLittle('top_p', chat.top_p, contract.minTopP),
    ...tooMany('top_k', chat.top_k, contract.maxTopK),
    ...tooMany('top_logprobs', chat.top_logprobs, contract.maxTopLogprobs),
  ];
}

function tooMany(field: string, given: unknown, most: number | null): readonly Untaken[] {
  return most !== null && typeof given === 'number' && given > most
    ? [{ field, rule: `at most ${most}` }]
    : [];
}

function tooLittle(field: string, given: unknown, least: number | null): readonly Untaken[] {
  return least !== null && typeof given === 'number' && given < least
    ? [{ field, rule: `at least ${least}` }]
    : [];
}
