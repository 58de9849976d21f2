/** What a contract of chats says, in words: for tables of the documentation. */
import type { ChatContract } from '../../src/catalog/chat-contract.js';

const list = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ');
const yes = (one: string, other: string) => (is: boolean) => (is ? one : other);
const orAny = (what: string) => (value: number | null) =>
  value === null ? `any ${what}` : `at most ${value} ${what}`;

type Words = { readonly [Member in keyof ChatContract]: (value: ChatContract[Member]) => string };

const CONTRACT_WORDS: Words = {
  takenMembers: (names) => (names === null ? 'any member' : `of further members ${list(names)} alone`),
  refusedMembers: (names) => `no ${list(names)}`,
  storedMetadata: yes('`metadata` with `store` alone', '`metadata` always'),
  callIds: (form) =>
    ({
      any: 'any ids of calls',
      plain: 'ids of calls of letters, digits, `_`, `-`',
      nine: 'ids of calls of nine letters and digits',
    })[form],
  maxCallId: orAny('characters in ids of calls'),
  pairedCalls: yes('each call is answered right after it, once', 'calls and results anywhere'),
  parsedArguments: yes('arguments of calls are JSON objects or lists', 'any arguments of calls'),
  tools: yes('tools', 'no tools'),
  maxTools: orAny('tools'),
  functions: yes('`functions` and their messages', 'no `functions`, but tools'),
  toolNames: (form) =>
    ({
      any: 'any names of tools',
      word: 'names of tools of letters, digits, `_`',
      plain: 'names of tools of letters, digits, `_`, `-`',
      dotted: 'names of tools of letters, digits, `_`, `-`, `.`, `:`',
    })[form],
  toolNameStart: (form) =>
    ({
      any: 'names of tools begin anyhow',
      word: 'names of tools begin with a letter or `_`',
      letter: 'names of tools begin with a letter',
    })[form],
  maxToolName: orAny('characters in names of tools'),
  minToolName: (count) => `at least ${count} characters in names of tools`,
  maxToolDescription: orAny('characters in descriptions of tools'),
  system: (where) =>
    ({
      any: 'system messages anywhere',
      start: 'system messages at the start',
      one: 'one system message, at the start',
      none: 'no system messages',
    })[where],
  alternates: yes('user and assistant take turns', 'turns in any order'),
  userFirst: yes('the user speaks first', 'anybody speaks first'),
  userSpeaks: yes('the user speaks somewhere', 'the user may be silent'),
  assistantAfterResults: yes('only the assistant speaks after results', 'anybody speaks after results'),
  callsFollow: yes('calls follow the user or a result', 'calls anywhere'),
  prefill: (how) =>
    ({
      taken: 'answers may be begun',
      refused: 'no answers that are begun',
      prefix: 'answers that are begun have `prefix`',
      partial: 'answers that are begun have `partial`',
    })[how],
  parts: (roles) =>
    roles.length === 0
      ? 'texts instead of parts in all messages'
      : `parts in messages of ${list(roles)} alone`,
  userParts: (types) => (types === null ? 'any parts of the user' : `parts of the user of ${list(types)}`),
  emptyContents: (which) =>
    ({
      any: 'any contents',
      text: 'no messages without content',
      none: 'no empty contents',
      filled: 'no contents of blanks',
    })[which],
  contentBesideCalls: yes('content beside calls, if only an empty text', 'calls without content'),
  wordsBesideCalls: yes('words beside calls', 'no words beside calls'),
  refusals: yes('`refusal` and `audio` of answers', 'no `refusal`, `audio` of answers'),
  mediaInResults: yes('media in results', 'no media in results'),
  images: (types) => (types === null ? 'any images' : `images by their bytes: ${list(types)}`),
  mediaUrls: yes('media by their address', 'no media by their address'),
  extraMembers: yes('any members of messages', 'no members of messages beyond OpenAI’s'),
  names: (form) =>
    ({
      any: 'any `name` of messages',
      plain: '`name` of letters, digits, `_`, `-`',
      none: 'no `name` of messages',
    })[form],
  resultNames: yes('`name` of results', 'no `name` of results'),
  emptyTools: yes('empty `tools`', 'no empty `tools`, and no choice among none'),
  rootWords: (words) =>
    words === null
      ? 'any words at the root of tools’ schemas'
      : `at the root of tools’ schemas ${list(words)} alone`,
  refSiblings: yes('words beside `$ref`', 'no words beside `$ref`'),
  rootUnions: yes('unions at the root of schemas', 'no unions at the root of schemas'),
  booleanSchemas: yes('`true` and `false` as schemas', 'no `true` and `false` as schemas'),
  schemaSiblings: yes('words beside `$ref`', 'no words beside `$ref`, no `type` beside `anyOf`'),
  typedSchemas: yes('every schema has a type', 'schemas without type'),
  referencesToDefs: yes('references to `#/$defs/` alone', 'any references'),
  arraysOfItems: yes('arrays have `items`', 'arrays without `items`'),
  parametersNeeded: yes('functions have `parameters`', 'functions without `parameters`'),
  strictSchemas: (which) =>
    ({
      any: 'any schema is strict',
      closed: 'strict schemas are closed',
      full: 'strict schemas are closed, require all, have no words beyond structured outputs',
    })[which],
  closedAnswers: yes('schemas of answers are closed', 'open schemas of answers'),
  strictTools: yes('strict tools', 'no strict tools'),
  ownToolsBesideFunctions: yes('tools of its own beside functions', 'tools of its own or functions'),
  alikeTools: yes('all tools strict, or none', 'strict tools beside others'),
  toolChoices: (kinds) => `\`tool_choice\` of ${list(kinds)}`,
  knownChoices: yes('only tools that are there are chosen', 'any tool is chosen'),
  forcedWhileThinking: yes('tools are forced while it thinks', 'no tools are forced while it thinks'),
  toolsWhileThinking: yes('tools while it thinks', 'no tools while it thinks'),
  formatWithTools: yes('JSON beside tools', 'no JSON beside tools'),
  jsonWhileThinking: yes('`json_object` while it thinks', 'no `json_object` while it thinks'),
  jsonFormat: yes('`json_object`', 'no `json_object`'),
  schemaFormat: yes('`json_schema`', 'no `json_schema`'),
  jsonByWord: yes('`json_object` where a message says "JSON"', '`json_object` always'),
  givenReasoning: yes(
    'reasoning as the request spells it, where nothing is known of the model’s',
    'reasoning in the host’s words',
  ),
  efforts: (names) =>
    names === null ? 'any effort' : names.length === 0 ? 'no `reasoning_effort`' : `efforts ${list(names)}`,
  thinksByDefault: yes('thinks by default', 'does not think by default'),
  thinkingStops: yes('can be told not to think', 'always thinks'),
  thoughtsRequired: (which) =>
    ({
      none: 'no thoughts back',
      turn: 'thoughts of the turn’s calls back',
      all: 'thoughts of calls back',
      steps: 'thoughts of calls, and of what is said after them, back',
    })[which],
  signedCalls: yes('calls are signed (`extra_content`)', 'no signatures of calls'),
  notWhileThinking: (names) => `no ${list(names)} while it thinks`,
  maxStops: orAny('`stop`'),
  maxChoices: orAny('choices (`n`)'),
  maxTemperature: (most) => `\`temperature\` to ${most}`,
  minTopP: (least) => `\`top_p\` from ${least}`,
  maxTopK: (most) => `\`top_k\` to ${most}`,
  maxTopLogprobs: (most) => `\`top_logprobs\` to ${most}`,
};

/** What the members say, in their order. */
export function inWords(rules: Partial<ChatContract>): string {
  return Object.entries(rules)
    .map(([member, value]) => CONTRACT_WORDS[member as keyof ChatContract](value as never))
    .join('; ');
}
