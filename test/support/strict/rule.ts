/**
 * Hosts as judges of what is sent to them: each is a list of rules, known from public material alone, apart from the code
 * that they judge. `refusalOf` says what a host answers.
 */
import type { Body } from './chat.js';

/** How much a source is worth: `assumed` has two facts that point at it, and no report. */
type Sure = 'documented' | 'typed' | 'reported' | 'assumed';

export interface Evidence {
  /** An address, or a package with its type. */
  readonly source: string;
  /** When it was looked up. */
  readonly seen: string;
  readonly sure: Sure;
}

/** Two bodies, without what all have: one that the rule refuses, and one like it that the host takes. */
export interface Example {
  readonly refused: Body;
  readonly taken: Body;
}

/** What a violation may depend on beside the body. */
export interface Context {
  /** The host's name of the model. */
  readonly model: string;
  /** Whether it thinks before it answers this request. */
  readonly thinks: boolean;
}

export interface Rule extends Evidence {
  /** What is refused, in one sentence. */
  readonly refuses: string;
  readonly example: Example;
  /** 400 where it is not said. */
  readonly status?: number;
  readonly code?: string;
  /** The host's words about the first violation, as far as they are known; undefined for none. */
  violation(body: Body, context: Context): string | undefined;
}

export interface Refusal {
  readonly status: number;
  readonly body: object;
}

export interface StrictHost {
  readonly name: string;
  readonly format: 'chat';
  readonly model: string;
  readonly rules: readonly Rule[];
  /** Members with which its model does not think, where it would otherwise. */
  readonly plain?: Body;
  thinks?(body: Body, model: string): boolean;
  /** The error in the host's own form. */
  refuse(words: string, rule: Rule): Refusal;
}

/** What a host answers to a body that it does not take; undefined for one that it takes. */
export function refusalOf(
  host: StrictHost,
  body: Body,
  model: string = typeof body.model === 'string' ? body.model : host.model,
): (Refusal & { readonly rule: Rule }) | undefined {
  const context = { model, thinks: host.thinks?.(body, model) ?? false };
  for (const rule of host.rules) {
    const words = rule.violation(body, context);
    if (words !== undefined) return { ...host.refuse(words, rule), rule };
  }
  return undefined;
}

/** The same rule for requests of which `when` holds, with an example that is one. */
function only(
  rule: Rule,
  when: (body: Body, context: Context) => boolean,
  members: Body,
  about: string,
): Rule {
  return {
    ...rule,
    refuses: `${rule.refuses} (${about})`,
    example: {
      refused: { ...rule.example.refused, ...members },
      taken: { ...rule.example.taken, ...members },
    },
    violation: (body, context) => (when(body, context) ? rule.violation(body, context) : undefined),
  };
}

/** The same rule for models whose names match. */
export function onModels(models: RegExp, model: string, rule: Rule): Rule {
  return only(rule, (_, context) => models.test(context.model), { model }, `of ${model} and its like`);
}

/** The same rule while the model thinks; `members` make it think. */
export function whileThinking(members: Body, rule: Rule): Rule {
  return only(rule, (_, { thinks }) => thinks, members, 'while the model thinks');
}

/** The same rule with an example that fits the host better. */
export function shownBy(rule: Rule, example: Example): Rule {
  return { ...rule, example };
}

/** The same rule with a status or code of its own. */
export function answered(rule: Rule, by: { status?: number; code?: string }): Rule {
  return { ...rule, ...by };
}

/** All sources were looked up on this day. */
const SEEN = '2026-11-26';

export const documented = (source: string): Evidence => ({ source, seen: SEEN, sure: 'documented' });
export const typed = (source: string): Evidence => ({ source, seen: SEEN, sure: 'typed' });
export const reported = (source: string): Evidence => ({ source, seen: SEEN, sure: 'reported' });
export const assumed = (source: string): Evidence => ({ source, seen: SEEN, sure: 'assumed' });
