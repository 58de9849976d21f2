/**
 * Finds what a request asks the provider's host to do on its own: server tools, and members with the same effect.
 * Sources: `docs/money.md#work-of-the-host`.
 */
import type { Violation } from '../base/problem.js';
import { SONAR, searchesAlways } from '../catalog/prices/searching-models.js';
import type { PriceKey } from '../catalog/types.js';
import {
  COMPACTION,
  MAX_WEB_SEARCHES,
  UNKNOWN_WORK,
  WORK_BY_MEMBER,
  WORK_BY_TYPE,
  type WorkKind,
} from './host-work-kinds.js';
import type { JsonObject } from './json.js';
import { elements, isObject, members, textOf } from './json.js';
import { isOpaque, isSchema } from './opaque-members.js';

/** A server tool of a request, or a member that works like one. */
export interface HostWork {
  /** The tool's type, or the member's name. */
  readonly type: string;
  /** Path of the member that asks for it: `tools[0]`, `web_search_options`. */
  readonly path: string;
  /** The price of a use; null = its tokens only. */
  readonly priceKey: PriceKey | null;
  /**
   * Maximum of uses: the request's, else the host's own; null if neither sets one. A value that is not a valid maximum
   * counts as none.
   */
  readonly maxUses: number | null;
  /**
   * Maximum of turns that the host takes on its own after the first, each over the whole prompt; null = not documented.
   */
  readonly maxTurns: number | null;
  /** Whether the results are added to the prompt of later turns. */
  readonly growsContext: boolean;
  /** The member that limits `maxUses`, or would if it were set; null = there is none. */
  readonly boundedBy: string | null;
  /** The value that the request has there; missing if it has none. */
  readonly said?: unknown;
  /**
   * Whether the request is to be answered without it rather than not at all; missing where that is true of no tool of the
   * format.
   */
  readonly isOptional?: boolean;
}

/**
 * Models that search some thirty times to write a report: https://docs.perplexity.ai/getting-started/pricing. OpenAI's are told to
 * stop there.
 */
const RESEARCHING_MODEL = /-deep-research/;
export const MAX_RESEARCH_SEARCHES = 100;

/**
 * Turns that a research model takes after the first. The example in its documentation has 193,947 reasoning tokens and
 * an answer of 11,395, and a turn has at most 32,768.
 */
const RESEARCH_TURNS = 7;

/** Maximum of searches that the model makes without being asked to, by its name at the provider; 0 = none. */
export function searchesUnasked(upstreamModelId: string): number {
  if (!searchesAlways(upstreamModelId)) return 0;
  return RESEARCHING_MODEL.test(upstreamModelId) ? MAX_RESEARCH_SEARCHES : MAX_WEB_SEARCHES;
}

/** Maximum of those searches that are billed. For all of Perplexity's models except research the fee is per request. */
export function searchesBilled(upstreamModelId: string): number {
  const isByRequest = SONAR.test(upstreamModelId) && !RESEARCHING_MODEL.test(upstreamModelId);
  return isByRequest ? 1 : searchesUnasked(upstreamModelId);
}

/** Turns that such a model takes on its own after the first. */
export function turnsUnasked(upstreamModelId: string): number {
  if (!searchesAlways(upstreamModelId)) return 0;
  return RESEARCHING_MODEL.test(upstreamModelId) ? RESEARCH_TURNS : 1;
}

/** How the types of tools begin that the client runs, and the host only asks for. */
const CLIENT_TOOLS: readonly string[] = [
  'function',
  'custom',
  'bash',
  'text_editor_',
  'computer',
  'memory_',
  'local_shell',
  'namespace',
  'apply_patch',
];

/** Google also names its tools by a member, whatever the `type` next to it says. */
const GOOGLE_MEMBER = /^(google|enterprise|retrieval$|url_?context$|code_?execution$|computer_?use$)/i;

/** Members that show, in formats without types, that the client runs the tool. */
const CLIENT_MEMBERS: ReadonlySet<string> = new Set([
  'function',
  'functionDeclarations',
  'function_declarations',
  'input_schema',
  'name',
]);

/** A use beyond the maximum is refused, which the model sees in one more turn. */
export const REFUSED_USE = 1;

/** What nearly all requests ask for: nothing. */
const NO_WORK: readonly HostWork[] = [];

/**
 * How deep members are searched for in containers of further members, such as `additionalModelRequestFields` and
 * `extra_body`.
 */
const MAX_DEPTH = 3;

/** What a request asks its host to do on its own. `body` is a chat, or a Messages request as it was sent. */
export function hostWorkOf(body: JsonObject): readonly HostWork[] {
  return workBelow(body, '', 0);
}

/**
 * Maximum of uses of one tool that a request may allow: more than anybody needs, and small enough for any sum of costs.
 */
const MAX_USES = 1_000;

/** Refuses maximums that the host might read differently than the reservation does. */
export function hostWorkViolations(body: JsonObject): Violation[] {
  return hostWorkOf(body).flatMap(({ boundedBy, said }) =>
    boundedBy === null || said === undefined || said === null || isUses(said)
      ? []
      : [
          {
            field: boundedBy,
            rule: 'range',
            message: `must be a whole number from 0 to ${MAX_USES}, and not a text`,
          },
        ],
  );
}

function workBelow(body: JsonObject, prefix: string, depth: number): readonly HostWork[] {
  let work = NO_WORK;
  for (const name of Object.keys(body)) {
    const found = workIn(name, body[name], prefix, depth);
    if (found.length > 0) work = work.concat(found);
  }
  return work;
}

function workIn(name: string, value: unknown, prefix: string, depth: number): readonly HostWork[] {
  if (value === undefined || value === null || value === false) return NO_WORK;
  const path = prefix + name;
  if (name === 'tools') return toolWork(value, path);
  if (name === 'fallbacks') return elements(value).map((_, index) => fallbackWork(`${path}[${index}]`));
  if (name === 'context_management') return compactions(value, `${path}.edits`);
  const kind = WORK_BY_MEMBER.get(name);
  if (kind !== undefined) {
    return isEmptyList(value) && name !== 'web_search_options'
      ? NO_WORK
      : [describe(kind, name, path, members(value))];
  }
  if (depth === MAX_DEPTH || !isObject(value) || isOpaque(name) || isSchema(name)) return NO_WORK;
  return workBelow(value, `${path}.`, depth + 1);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function toolWork(tools: unknown, path: string): readonly HostWork[] {
  let work = NO_WORK;
  for (const [position, tool] of elements(tools).entries()) {
    if (!isObject(tool) || isPlainFunction(tool)) continue;
    const found = serverTypes(tool).map((type) => describe(kindOf(type), type, `${path}[${position}]`, tool));
    work = work.concat(found);
  }
  return work;
}

/** Whether the tool is a plain function, as nearly all are. */
function isPlainFunction(tool: JsonObject): boolean {
  for (const name in tool) if (name !== 'type' && name !== 'function') return false;
  return tool.type === 'function';
}

function kindOf(type: string): WorkKind {
  return WORK_BY_TYPE.find(([prefix]) => type.startsWith(prefix))?.[1] ?? UNKNOWN_WORK;
}

/** The types of a tool that the host runs, or of the tools inside it; none if the client runs it. */
function serverTypes(tool: JsonObject): readonly string[] {
  const names = Object.keys(tool);
  const google = names.filter((name) => GOOGLE_MEMBER.test(name) && name !== tool.type);
  const type = textOf(tool.type);
  if (type !== undefined && !isClientTool(type)) return [...new Set([type, ...google])];
  if (type !== undefined || google.length > 0) return google;
  return names.some((name) => CLIENT_MEMBERS.has(name)) ? [] : names.slice(0, 1);
}

function isClientTool(type: string): boolean {
  return CLIENT_TOOLS.some((prefix) => type.startsWith(prefix));
}

function describe(kind: WorkKind, type: string, path: string, asked: JsonObject): HostWork {
  const { priceKey, boundedBy, growsContext } = kind;
  const said = boundedBy === null ? undefined : memberAt(asked, boundedBy);
  const maxUses = isUses(said) ? said : kind.ownMaxUses;
  return {
    type,
    path,
    priceKey,
    maxUses,
    maxTurns: kind.ownMaxTurns ?? (maxUses === null ? null : maxUses + REFUSED_USE),
    growsContext,
    boundedBy: boundedBy === null ? null : `${path}.${boundedBy}`,
    ...(said !== undefined && { said }),
  };
}

function memberAt(asked: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => members(value)[name], asked);
}

/** Whether a value is a maximum of uses as hosts read it. */
export function isUses(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MAX_USES;
}

/** A second model that answers if the first one refuses, from the same prompt. */
function fallbackWork(path: string): HostWork {
  return {
    type: 'fallbacks',
    path,
    priceKey: null,
    maxUses: 1,
    maxTurns: 1,
    growsContext: false,
    boundedBy: null,
  };
}

/** Edits that make the host summarise the conversation, in a turn of its own. */
function compactions(management: unknown, path: string): readonly HostWork[] {
  return elements(members(management).edits).flatMap((edit, position) => {
    const type = textOf(members(edit).type) ?? '';
    return type.startsWith('compact') ? [describe(COMPACTION, type, `${path}[${position}]`, {})] : [];
  });
}
