/**
 * What a request asks the provider's host to do by itself: its server tools, and members that mean the same. Sources:
 * `docs/money.md#work-of-the-host`.
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

/** One server tool of a request, or a member that is one in all but name. */
export interface HostWork {
  /** The tool's type, or the member's name. */
  readonly type: string;
  /** Of the member that asks for it: `tools[0]`, `web_search_options`. */
  readonly path: string;
  /** The price of a use; null: none but that of tokens. */
  readonly priceKey: PriceKey | null;
  /**
   * The most uses: what the request says, else the host's own maximum; null where neither says one. What a request says is
   * no such number is taken as nothing said.
   */
  readonly maxUses: number | null;
  /** The most turns that the host takes by itself after the first, each over the whole prompt; null: nobody says. */
  readonly maxTurns: number | null;
  /** Whether its results become part of the prompt of further turns. */
  readonly growsContext: boolean;
  /** The member that bounds `maxUses` or, where nothing else does, would; null: there is none. */
  readonly boundedBy: string | null;
  /** What the request has there, whatever it is; missing where it has nothing. */
  readonly said?: unknown;
}

/** Those that write a report search some thirty times; see https://docs.perplexity.ai/getting-started/pricing. */
const RESEARCHING_MODEL = /sonar-deep-research/;
const MAX_RESEARCH_SEARCHES = 100;

/**
 * Turns that research takes after the first: 193,947 tokens of reasoning beside an answer of 11,395 in the example of its
 * documentation, of at most 32,768 each.
 */
const RESEARCH_TURNS = 7;

/** How often at most the model searches without being asked to, by its name at the provider; 0 = never. */
export function searchesUnasked(upstreamModelId: string): number {
  if (!searchesAlways(upstreamModelId)) return 0;
  return RESEARCHING_MODEL.test(upstreamModelId) ? MAX_RESEARCH_SEARCHES : MAX_WEB_SEARCHES;
}

/** How many of them are billed at most: of Perplexity's models all but research cost a fee for each request. */
export function searchesBilled(upstreamModelId: string): number {
  const isByRequest = SONAR.test(upstreamModelId) && !RESEARCHING_MODEL.test(upstreamModelId);
  return isByRequest ? 1 : searchesUnasked(upstreamModelId);
}

/** Turns that such a model takes by itself after the first. */
export function turnsUnasked(upstreamModelId: string): number {
  if (!searchesAlways(upstreamModelId)) return 0;
  return RESEARCHING_MODEL.test(upstreamModelId) ? RESEARCH_TURNS : 1;
}

/** What types of tools begin with that the client runs: the host only asks for them. */
const CLIENT_TOOLS: readonly string[] = [
  'function',
  'custom',
  'bash',
  'text_editor_',
  'computer',
  'memory_',
  'local_shell',
  'apply_patch',
];

/** Google's tools are also named by a member, whatever the type beside it says. */
const GOOGLE_MEMBER = /^(google|enterprise|retrieval$|url_?context$|code_?execution$|computer_?use$)/i;

/** Members of a tool that the client runs, in formats without types. */
const CLIENT_MEMBERS: ReadonlySet<string> = new Set([
  'function',
  'functionDeclarations',
  'function_declarations',
  'input_schema',
  'name',
]);

/** Of a use beyond its maximum the model is told that it is refused, in a turn more. */
const REFUSED_USE = 1;

/** Nothing: what nearly all requests ask for. */
const NO_WORK: readonly HostWork[] = [];

/** Containers of members in which hosts find others again: `additionalModelRequestFields`, `extra_body`. */
const MAX_DEPTH = 3;

/** What a request asks its host to do by itself: a chat, or one in the Messages format as it was sent. */
export function hostWorkOf(body: JsonObject): readonly HostWork[] {
  return workBelow(body, '', 0);
}

/** Uses that a request may allow of one tool: more than anybody needs, and few enough for any sum of costs. */
const MAX_USES = 1_000;

/** A maximum of uses that the host might read otherwise than this gateway reserves for is refused. */
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

/** What nearly all tools are. */
function isPlainFunction(tool: JsonObject): boolean {
  for (const name in tool) if (name !== 'type' && name !== 'function') return false;
  return tool.type === 'function';
}

function kindOf(type: string): WorkKind {
  return WORK_BY_TYPE.find(([prefix]) => type.startsWith(prefix))?.[1] ?? UNKNOWN_WORK;
}

/** What names the tool where the host runs it, or the tools that are in one; none of one that the client runs. */
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

function isUses(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MAX_USES;
}

/** Another model that answers where the first refuses, from the same prompt. */
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

/** Edits of a conversation for which the host has it summarised, in a turn of its own. */
function compactions(management: unknown, path: string): readonly HostWork[] {
  return elements(members(management).edits).flatMap((edit, position) => {
    const type = textOf(members(edit).type) ?? '';
    return type.startsWith('compact') ? [describe(COMPACTION, type, `${path}[${position}]`, {})] : [];
  });
}
