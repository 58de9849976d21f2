/**
 * What hosts refuse in the body of a request, one rule a function, each with where that is from. A host's rules are the
 * judge of what adapters send: they come from documents, types and public reports, never from the adapters.
 */

/** What of a request is not in its body. */
export interface RuleContext {
  /** The model, where the body does not name it: `claude-opus-4-8`, `gemini-2.5-pro`, `amazon.nova-pro-v1:0`. */
  readonly model: string;
  readonly isStreamed: boolean;
  /** Beta features that are asked for, by header or in the body. */
  readonly betas: readonly string[];
}

export interface Rule {
  /** What is refused, as a short phrase. */
  readonly refuses: string;
  /** A URL, or a package and its type. */
  readonly source: string;
  /** When that was read: `2026-11-26`. */
  readonly seen: string;
  /**
   * How sure it is: said by the host's documents; by the types of its client; by the host itself, as somebody reports; or
   * concluded from one of these.
   */
  readonly sure: 'documented' | 'typed' | 'reported' | 'assumed';
  /** The first violation, in the host's words where they are known; undefined for a body that keeps the rule. */
  violation(body: object, context: RuleContext): string | undefined;
}

export interface StrictHost {
  readonly name: string;
  readonly format: 'chat' | 'messages' | 'converse' | 'gemini';
  /** The model that is asked unless a test names another. */
  readonly model: string;
  readonly rules: readonly Rule[];
}

/** A host of the Responses API. */
export type ResponsesHost = Omit<StrictHost, 'format'> & { readonly format: 'responses' };

/** The first violation of a host's rules; undefined for a body that it takes. */
export function refusalBy(
  { rules, model }: Pick<StrictHost, 'rules' | 'model'>,
  body: object,
  context: Partial<RuleContext> = {},
): string | undefined {
  return first(
    rules.map((rule) => () => rule.violation(body, { model, isStreamed: false, betas: [], ...context })),
  );
}

/** Every rule that the body breaks, and in what words. */
export function brokenRules(
  { rules, model }: Pick<StrictHost, 'rules' | 'model'>,
  body: object,
  context: Partial<RuleContext> = {},
): { readonly rule: Rule; readonly words: string }[] {
  return rules.flatMap((rule) => {
    const words = rule.violation(body, { model, isStreamed: false, betas: [], ...context });
    return words === undefined ? [] : [{ rule, words }];
  });
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}
