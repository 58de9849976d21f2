/** The contract of a host's chats in the native file: `docs/catalog.md#contracts`. */
import {
  CALL_ID_FORMS,
  type ChatContract,
  CONTRACT_EFFORTS,
  EMPTY_CONTENTS,
  IMAGE_TYPES,
  PREFILLS,
  ROLES_WITH_PARTS,
  SPEAKER_NAMES,
  STRICT_SCHEMAS,
  SYSTEM_POSITIONS,
  THOUGHTS_REQUIRED,
  TOOL_CHOICES,
  TOOL_NAME_FORMS,
  TOOL_NAME_STARTS,
} from '../chat-contract.js';
import type { JsonReader } from '../input/json-reader.js';
import { readMemberName } from './member-names.js';

type Read<T> = (at: JsonReader) => T;

/** Names in a list. */
const MAX_NAMES = 200;

const SCHEMA_WORD = /^[$A-Za-z][A-Za-z0-9]{0,63}$/;
const PART_TYPE = /^[a-z][a-z0-9_]{0,63}$/;

const flag: Read<boolean> = (at) => at.boolean();
const count: Read<number | null> = (at) => at.orNull((number) => number.integer(1));
const word =
  <T extends string>(words: readonly [T, ...T[]]): Read<T> =>
  (at) =>
    at.oneOf(words);
const words =
  <T extends string>(known: readonly [T, ...T[]]): Read<readonly T[]> =>
  (at) =>
    at.list((one) => one.oneOf(known), known.length);
const orNull =
  <T>(read: Read<T>): Read<T | null> =>
  (at) =>
    at.orNull(read);
const names: Read<readonly string[]> = (at) => at.list(readMemberName, MAX_NAMES);
const partTypes: Read<readonly string[]> = (at) =>
  at.list((one) => one.matching(PART_TYPE, 'the type of a part'), MAX_NAMES);
const schemaWords: Read<readonly string[]> = (at) =>
  at.list((one) => one.matching(SCHEMA_WORD, 'a word of JSON Schema'), MAX_NAMES);
const amount =
  (most: number): Read<number | null> =>
  (at) =>
    at.orNull((number) => number.number(0, most));

const READERS: { readonly [Member in keyof ChatContract]: Read<ChatContract[Member]> } = {
  takenMembers: orNull(names),
  refusedMembers: names,
  storedMetadata: flag,
  callIds: word(CALL_ID_FORMS),
  maxCallId: count,
  pairedCalls: flag,
  parsedArguments: flag,
  tools: flag,
  maxTools: count,
  functions: flag,
  toolNames: word(TOOL_NAME_FORMS),
  toolNameStart: word(TOOL_NAME_STARTS),
  maxToolName: count,
  minToolName: (at) => at.integer(0),
  maxToolDescription: count,
  system: word(SYSTEM_POSITIONS),
  alternates: flag,
  userFirst: flag,
  userSpeaks: flag,
  assistantAfterResults: flag,
  callsFollow: flag,
  prefill: word(PREFILLS),
  parts: words(ROLES_WITH_PARTS),
  userParts: orNull(partTypes),
  emptyContents: word(EMPTY_CONTENTS),
  contentBesideCalls: flag,
  wordsBesideCalls: flag,
  refusals: flag,
  mediaInResults: flag,
  images: orNull(words(IMAGE_TYPES)),
  mediaUrls: flag,
  extraMembers: flag,
  names: word(SPEAKER_NAMES),
  resultNames: flag,
  emptyTools: flag,
  rootUnions: flag,
  rootWords: orNull(schemaWords),
  refSiblings: flag,
  booleanSchemas: flag,
  schemaSiblings: flag,
  typedSchemas: flag,
  referencesToDefs: flag,
  arraysOfItems: flag,
  parametersNeeded: flag,
  strictSchemas: word(STRICT_SCHEMAS),
  closedAnswers: flag,
  strictTools: flag,
  ownToolsBesideFunctions: flag,
  alikeTools: flag,
  toolChoices: words(TOOL_CHOICES),
  knownChoices: flag,
  forcedWhileThinking: flag,
  toolsWhileThinking: flag,
  formatWithTools: flag,
  jsonWhileThinking: flag,
  jsonFormat: flag,
  schemaFormat: flag,
  jsonByWord: flag,
  givenReasoning: flag,
  efforts: orNull(words(CONTRACT_EFFORTS)),
  thinksByDefault: flag,
  thinkingStops: flag,
  thoughtsRequired: word(THOUGHTS_REQUIRED),
  signedCalls: flag,
  notWhileThinking: names,
  maxStops: count,
  maxChoices: count,
  maxTemperature: amount(100),
  minTopP: amount(1),
  maxTopK: count,
  maxTopLogprobs: (at) => at.orNull((number) => number.integer(0)),
};

/** The member of a contract by its name in the file. */
const BY_NAME: ReadonlyMap<string, keyof ChatContract> = new Map(
  (Object.keys(READERS) as (keyof ChatContract)[]).map((member) => [nameOf(member), member]),
);

/** `maxCallId` is `max_call_id`. */
function nameOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function readContract(at: JsonReader): Partial<ChatContract> {
  const member = at.object([...BY_NAME.keys()]);
  const read = [...BY_NAME].map(([name, key]): [string, unknown] => {
    const reader: Read<unknown> = READERS[key];
    return [key, member(name).or(undefined, reader)];
  });
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

export function writeContract(contract: Partial<ChatContract>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(contract).map(([member, value]) => [nameOf(member), value]));
}
