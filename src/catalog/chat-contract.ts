/**
 * The host contract: what a host takes of a chat, as data: `docs/providers/README.md#contracts`. One function makes any chat fit any contract, and the
 * catalogue can mend each member of one (`docs/catalog.md#quirks`).
 */

/** `plain`: letters, digits, `_` and `-`. `nine`: exactly nine letters and digits. */
export const CALL_ID_FORMS = ['any', 'plain', 'nine'] as const;

/** `word`: letters, digits and `_`. `plain`: also `-`. `dotted`: also `.`. */
export const TOOL_NAME_FORMS = ['any', 'word', 'plain', 'dotted'] as const;

/** `word`: a letter or `_`. `letter`: a letter. */
export const TOOL_NAME_STARTS = ['any', 'word', 'letter'] as const;

/** `start`: before everything else. `one`: a single message, before everything else. `none`: nowhere. */
export const SYSTEM_POSITIONS = ['any', 'start', 'one', 'none'] as const;

/** What a chat that ends with a message of the assistant's must have for the model to continue it. */
export const PREFILLS = ['taken', 'refused', 'prefix', 'partial'] as const;

/**
 * Which answers with calls of tools must come back with their reasoning while the model thinks: those of the turn that goes on, or
 * all. `steps`: all, and what is said after calls in the same turn.
 */
export const THOUGHTS_REQUIRED = ['none', 'turn', 'all', 'steps'] as const;

/** Which schemas a model can be held to. `closed`: all objects close themselves. `full`: as OpenAI's structured outputs. */
export const STRICT_SCHEMAS = ['any', 'closed', 'full'] as const;

export const ROLES_WITH_PARTS = ['system', 'user', 'assistant', 'tool'] as const;

/** Images that hosts may know. */
export const IMAGE_TYPES = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/heic',
  'image/heif',
] as const;

/** `allowed`: some of the tools, by name (`allowed_tools`). */
export const TOOL_CHOICES = ['none', 'auto', 'required', 'function', 'allowed'] as const;

/** `any`: also messages that say nothing at all. `text`: texts without a character. `none`: neither. `filled`: nor texts of blanks. */
export const EMPTY_CONTENTS = ['any', 'text', 'none', 'filled'] as const;

/** `plain`: letters, digits, `_` and `-`. */
export const SPEAKER_NAMES = ['any', 'plain', 'none'] as const;

/** Efforts of `reasoning_effort`, from the lowest up. */
export const CONTRACT_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export interface ChatContract {
  /** Members of a request that it takes beside those that all hosts have; null = any. */
  readonly takenMembers: readonly string[] | null;
  /** Members of a request that it refuses. */
  readonly refusedMembers: readonly string[];
  /** Whether `metadata` is for answers that are stored alone. */
  readonly storedMetadata: boolean;
  readonly callIds: (typeof CALL_ID_FORMS)[number];
  /** Characters; null = any number. */
  readonly maxCallId: number | null;
  /** Whether each call is answered right after it, once, and each result has its call; then ids are used once. */
  readonly pairedCalls: boolean;
  /** Whether arguments of calls must be the text of a JSON object or list. */
  readonly parsedArguments: boolean;
  /** Whether the model has tools; where not, calls and results of the conversation are told in words. */
  readonly tools: boolean;
  /** Null = any number. */
  readonly maxTools: number | null;
  /** Whether it takes `functions`, which tools were before. */
  readonly functions: boolean;
  readonly toolNames: (typeof TOOL_NAME_FORMS)[number];
  readonly toolNameStart: (typeof TOOL_NAME_STARTS)[number];
  /** Characters; null = any number. */
  readonly maxToolName: number | null;
  /** Characters. */
  readonly minToolName: number;
  /** Characters of a tool's description; null = any number. The rest stands in that of its arguments. */
  readonly maxToolDescription: number | null;
  readonly system: (typeof SYSTEM_POSITIONS)[number];
  /** Whether messages of the user and of the assistant take turns. */
  readonly alternates: boolean;
  /** Whether the first message that is no system message must be the user's. */
  readonly userFirst: boolean;
  /** Whether the user must speak somewhere. */
  readonly userSpeaks: boolean;
  /** Whether only the assistant speaks after results of tools. */
  readonly assistantAfterResults: boolean;
  /** Whether calls must follow what the user or a tool said. */
  readonly callsFollow: boolean;
  readonly prefill: (typeof PREFILLS)[number];
  /** Roles whose content may be a list of parts; that of others is a text. */
  readonly parts: readonly (typeof ROLES_WITH_PARTS)[number][];
  /** Types of parts that messages of the user may have; null = any. */
  readonly userParts: readonly string[] | null;
  readonly emptyContents: (typeof EMPTY_CONTENTS)[number];
  /** Whether messages with calls must have a content, if only an empty text. */
  readonly contentBesideCalls: boolean;
  /** Whether messages with calls may say something too; else that is a message before. */
  readonly wordsBesideCalls: boolean;
  /** Whether answers may come back with `refusal` and `audio`. */
  readonly refusals: boolean;
  /** Whether results of tools may have media. */
  readonly mediaInResults: boolean;
  /** Media types of images, judged by their bytes; null = whatever their label says. */
  readonly images: readonly (typeof IMAGE_TYPES)[number][] | null;
  /** Whether media may be named by their address; where not, they are fetched and sent. */
  readonly mediaUrls: boolean;
  /** Whether messages may have members that OpenAI's API does not have. */
  readonly extraMembers: boolean;
  /** The `name` of who speaks. */
  readonly names: (typeof SPEAKER_NAMES)[number];
  /** Whether results of tools may have the tool's `name`. */
  readonly resultNames: boolean;
  /** Whether `tools` may be an empty list, and stand in for choices among none. */
  readonly emptyTools: boolean;
  /** Whether the schema of a tool may be a union (`anyOf`, `oneOf`, `allOf`) at its root. */
  readonly rootUnions: boolean;
  /** Words that the schema of a tool may have at its root; null = any. */
  readonly rootWords: readonly string[] | null;
  /** Whether schemas below the root may be `true` or `false`. */
  readonly booleanSchemas: boolean;
  /** Whether words may stand beside `$ref`, `type` beside `anyOf`, and lists in `items`. */
  readonly schemaSiblings: boolean;
  /** Whether words may stand beside `$ref`; else the reference stands in an `anyOf` beside them. */
  readonly refSiblings: boolean;
  /** Whether schemas below the root must say their type, or what it follows from. */
  readonly typedSchemas: boolean;
  /** Whether references must be to `#/$defs/`. */
  readonly referencesToDefs: boolean;
  /** Whether arrays must say of what they are. */
  readonly arraysOfItems: boolean;
  /** Whether tools must have `parameters`. */
  readonly parametersNeeded: boolean;
  readonly strictSchemas: (typeof STRICT_SCHEMAS)[number];
  /** Whether objects in the schema of an answer must close themselves, strict or not. */
  readonly closedAnswers: boolean;
  /** Whether tools may be `strict`. */
  readonly strictTools: boolean;
  /** Whether tools of the host's own, such as a search, may stand beside functions. */
  readonly ownToolsBesideFunctions: boolean;
  /** Whether either all tools must be `strict`, or none. */
  readonly alikeTools: boolean;
  readonly toolChoices: readonly (typeof TOOL_CHOICES)[number][];
  /** Whether a choice must be of a tool that is there. */
  readonly knownChoices: boolean;
  /** Whether a model that thinks may be told to call a tool. */
  readonly forcedWhileThinking: boolean;
  /** Whether there may be tools while the model thinks. */
  readonly toolsWhileThinking: boolean;
  /** Whether the form of the answer may be given beside tools. */
  readonly formatWithTools: boolean;
  /** Whether `json_object` may be asked for while the model thinks. */
  readonly jsonWhileThinking: boolean;
  /** Whether `json_object` may be asked for at all. */
  readonly jsonFormat: boolean;
  /** Whether the answer's form may be a schema. */
  readonly schemaFormat: boolean;
  /** Whether JSON is only answered where the messages speak of it. */
  readonly jsonByWord: boolean;
  /** Whether a model of whose reasoning nothing is known is asked for it as the request spells it. */
  readonly givenReasoning: boolean;
  /** Efforts that `reasoning_effort` may be; none of them = it is refused; null = any. */
  readonly efforts: readonly (typeof CONTRACT_EFFORTS)[number][] | null;
  /** Whether the model thinks where nothing is said of it. */
  readonly thinksByDefault: boolean;
  /** Whether it can be told not to. */
  readonly thinkingStops: boolean;
  readonly thoughtsRequired: (typeof THOUGHTS_REQUIRED)[number];
  /** Whether calls carry Google's signatures of thoughts (`extra_content`), which the model wants back. */
  readonly signedCalls: boolean;
  /** Members of a request that it refuses while it thinks. */
  readonly notWhileThinking: readonly string[];
  /** Sequences in `stop`; null = any number. */
  readonly maxStops: number | null;
  /** Choices of one answer; null = any number. */
  readonly maxChoices: number | null;
  /** Of `temperature`; null = not known. */
  readonly maxTemperature: number | null;
  /** Of `top_p`; null = not known. */
  readonly minTopP: number | null;
  /** Of `top_k`; null = not known. */
  readonly maxTopK: number | null;
  /** Of `top_logprobs`; null = not known. */
  readonly maxTopLogprobs: number | null;
}

/** Strict in nothing: what is not known is sent as it is. */
export const LENIENT_CHAT: ChatContract = {
  takenMembers: null,
  refusedMembers: [],
  storedMetadata: false,
  callIds: 'any',
  maxCallId: null,
  pairedCalls: false,
  parsedArguments: false,
  tools: true,
  maxTools: null,
  functions: true,
  toolNames: 'any',
  toolNameStart: 'any',
  maxToolName: null,
  minToolName: 0,
  maxToolDescription: null,
  system: 'any',
  alternates: false,
  userFirst: false,
  userSpeaks: false,
  assistantAfterResults: false,
  callsFollow: false,
  prefill: 'taken',
  parts: ROLES_WITH_PARTS,
  userParts: null,
  emptyContents: 'any',
  contentBesideCalls: false,
  wordsBesideCalls: true,
  refusals: true,
  mediaInResults: false,
  images: null,
  mediaUrls: true,
  extraMembers: true,
  names: 'any',
  resultNames: true,
  emptyTools: true,
  rootUnions: true,
  rootWords: null,
  booleanSchemas: true,
  schemaSiblings: true,
  refSiblings: true,
  typedSchemas: false,
  referencesToDefs: false,
  arraysOfItems: false,
  parametersNeeded: false,
  strictSchemas: 'any',
  closedAnswers: false,
  strictTools: true,
  ownToolsBesideFunctions: true,
  alikeTools: false,
  toolChoices: TOOL_CHOICES,
  knownChoices: false,
  forcedWhileThinking: true,
  toolsWhileThinking: true,
  formatWithTools: true,
  jsonWhileThinking: true,
  jsonFormat: true,
  schemaFormat: true,
  jsonByWord: false,
  givenReasoning: false,
  efforts: null,
  thinksByDefault: false,
  thinkingStops: true,
  thoughtsRequired: 'none',
  signedCalls: false,
  notWhileThinking: [],
  maxStops: null,
  maxChoices: null,
  maxTemperature: null,
  minTopP: null,
  maxTopK: null,
  maxTopLogprobs: null,
};
