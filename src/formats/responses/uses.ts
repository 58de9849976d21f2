/** What a Responses request uses that not all hosts take: `docs/providers/README.md#contracts`. */
import type { ResponsesContract } from '../../catalog/responses-contract.js';
import {
  kindOf,
  type PartKind,
  type Role,
  roleOf,
  untakenFromUser,
  untakenImage,
} from '../chat/part-kind.js';
import type { Untaken, Uses } from '../chat/untaken.js';
import { elements, isObject, type JsonObject, members, textOf } from '../json.js';
import { Findings } from '../reading/findings.js';
import { COMPACTED, compactedText, partsOf } from './content.js';
import { untakenChoice } from './untaken.js';

/** The first image, file or sound of its kind. */
interface UsedMedia {
  readonly field: string;
  readonly role: Role;
  readonly kind: PartKind;
}

export function usesOfResponses(body: JsonObject): Uses<'responses'> {
  const items = elements(body.input);
  const media = mediaIn(items);
  const compacted = compactedIn(items);
  const functions = elements(body.tools).filter((tool) => members(tool).type === 'function').length;
  const hasTools = elements(body.tools).length > 0 || items.some((item) => 'tools' in members(item));
  return {
    isPlain: media.length === 0 && compacted.length === 0 && !hasTools,
    untakenBy: (contract) => [
      ...media.flatMap(({ field, role, kind }): Untaken[] => {
        const rule = untakenImage(kind, contract.chat) ?? untakenFromUser(kind, role, contract.chat);
        return rule === undefined ? [] : [{ field, rule, kind }];
      }),
      ...untakenItems(compacted, contract),
      ...tooMany('tools', functions, contract.chat.maxTools),
      ...untakenChoice(body, contract),
    ],
    unsupportedBy: (contract) => unsupportedSampling(body, contract),
    pathOf: (kind) => media.find((one) => keyOf(one.kind) === keyOf(kind))?.field,
  };
}

/** One part of each kind, of those that chats have too, in outputs of tools as well. */
function mediaIn(items: readonly unknown[]): readonly UsedMedia[] {
  const found = new Map<string, UsedMedia>();
  for (const [at, item] of items.entries()) {
    const { role, content, output } = members(item);
    const isOutput = output !== undefined;
    const parts = isOutput && isObject(output) ? [output] : elements(isOutput ? output : content);
    for (const [index, part] of parts.entries()) {
      const media = mediaOf(part);
      if (media === undefined) continue;
      const speaker = isOutput ? 'tool' : roleOf({ role: textOf(role) ?? 'user' });
      const key = [speaker, keyOf(media)].join(' ');
      const path = isObject(output) ? 'output' : `${isOutput ? 'output' : 'content'}[${index}]`;
      if (!found.has(key)) found.set(key, { field: `input[${at}].${path}`, role: speaker, kind: media });
    }
  }
  return [...found.values()];
}

/** undefined for words, and for what has no form in a chat. */
function mediaOf(part: unknown): PartKind | undefined {
  if (!isObject(part) || textOf(part.type) === undefined || TEXTS.has(part.type)) return undefined;
  const [read] = partsOf([part], '', new Findings());
  return read === undefined || read.type === 'text' ? undefined : kindOf(read);
}

/** Nothing has to be read of them. */
const TEXTS: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text', 'refusal']);

function keyOf({ type, image, file }: PartKind): string {
  return [type, image, file].join(' ');
}

interface Located {
  readonly field: string;
  readonly type: string;
}

/** Where a provider has put the conversation so far, and only it can read it; and where it is asked to. */
function compactedIn(items: readonly unknown[]): readonly Located[] {
  return items.flatMap((item, at): Located[] => {
    const type = String(members(item).type);
    const isSealed = COMPACTED.has(type) && isObject(item) && compactedText(item) === undefined;
    const isAsked = type === 'compaction_trigger' && at === items.length - 1;
    return isSealed || isAsked ? [{ field: `input[${at}]`, type }] : [];
  });
}

function untakenItems(
  items: readonly Located[],
  { itemTypes }: Pick<ResponsesContract, 'itemTypes'>,
): readonly Untaken[] {
  const untaken = itemTypes === null ? [] : items.filter(({ type }) => !itemTypes.has(type));
  return untaken.map(({ field, type }) => ({ field, rule: `no items of type ${type}` }));
}

/** Parameters without which the answer is still one to the same question. */
const SAMPLING = ['temperature', 'top_p', 'top_k', 'top_logprobs', 'frequency_penalty', 'presence_penalty'];

function unsupportedSampling(body: JsonObject, contract: ResponsesContract): readonly Untaken[] {
  const { members: known, refusedMembers, chat } = contract;
  const given = SAMPLING.filter((name) => body[name] !== undefined && body[name] !== null);
  const isTaken = (name: string) => !refusedMembers.has(name) && (known === null || known.has(name));
  return [
    ...given.filter((name) => !isTaken(name)).map((field) => ({ field, rule: `no ${field}` })),
    ...tooMany('temperature', body.temperature, chat.maxTemperature),
    ...tooMany('top_logprobs', body.top_logprobs, chat.maxTopLogprobs),
  ];
}

function tooMany(field: string, given: unknown, most: number | null): readonly Untaken[] {
  const isMore = most !== null && typeof given === 'number' && given > most;
  return isMore ? [{ field, rule: `at most ${most}` }] : [];
}
