import type { Rule } from '../rule.js';
import { type JsonRecord, list, record, records } from '../values.js';

const SEEN = '2026-11-26';

/** A Responses request as a judge reads it. */
export type ResponsesCall = JsonRecord;

export interface Placed {
  /** `input[3]` */
  readonly at: string;
  readonly item: JsonRecord;
  readonly type: unknown;
}

/** The items of the input; none where it is a text. */
export function itemsOf(body: object): readonly Placed[] {
  return list(record(body).input).map((value, index) => {
    const item = record(value);
    return {
      at: `input[${index}]`,
      item,
      type: item.type ?? (item.role === undefined ? undefined : 'message'),
    };
  });
}

/** The parts of all messages and outputs. */
export function partsOf(
  body: object,
): readonly { readonly at: string; readonly part: JsonRecord; readonly role: string }[] {
  return itemsOf(body).flatMap(({ at, item, type }) => {
    const name = Array.isArray(item.output) ? 'output' : 'content';
    const role = type === 'message' ? String(item.role) : 'output';
    if (type !== 'message' && name === 'content') return [];
    return records(item[name]).map((part, index) => ({ at: `${at}.${name}[${index}]`, part, role }));
  });
}

/** The tools of the request, of its namespaces, and those that items bring. */
export function toolsOf(body: object): readonly { readonly at: string; readonly tool: JsonRecord }[] {
  const brought = itemsOf(body).filter(({ type }) => type === 'additional_tools');
  return [
    ...toolsIn(record(body).tools, 'tools'),
    ...brought.flatMap(({ at, item }) => toolsIn(item.tools, `${at}.tools`)),
  ];
}

function toolsIn(tools: unknown, path: string): { readonly at: string; readonly tool: JsonRecord }[] {
  return records(tools).flatMap((tool, index) => {
    const at = `${path}[${index}]`;
    return [{ at, tool }, ...(tool.type === 'namespace' ? toolsIn(tool.tools, `${at}.tools`) : [])];
  });
}

type Told = Pick<Rule, 'refuses' | 'source' | 'sure'>;

/** A rule of which each item is asked. */
export function eachItem(told: Told, violation: (placed: Placed) => string | undefined): Rule {
  return rule(told, (body) => first(itemsOf(body).map((placed) => () => violation(placed))));
}

export function rule(
  told: Told,
  violation: (body: ResponsesCall, model: string) => string | undefined,
): Rule {
  return {
    ...told,
    seen: SEEN,
    violation: (body, { model }) => {
      const call = record(body);
      return violation(call, typeof call.model === 'string' ? call.model : model);
    },
  };
}

export function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}

export function tooLong(path: string, max: number, value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length <= max) return undefined;
  return `Invalid '${path}': string too long. Expected a string with maximum length ${max}, but got a string with length ${value.length} instead.`;
}
