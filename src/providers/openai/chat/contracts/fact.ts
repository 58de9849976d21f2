/** What is known of a host, and from where. */
import type { ChatContract } from '../../../../catalog/chat-contract.js';

/**
 * How sure a fact is: from the host's documents, from the types of its SDK, from what somebody was answered, or from two facts that
 * point at it.
 */
export type Sure = 'documented' | 'typed' | 'reported' | 'assumed';

export type Rules = Partial<ChatContract>;

export interface Fact {
  /** Addresses, or packages with their types; several are separated by `; `. */
  readonly source: string;
  readonly sure: Sure;
  readonly rules: Rules;
}

export interface ContractRow {
  /** What differs from a host that is strict in nothing; later ones win. */
  readonly facts: readonly Fact[];
  /** Of models, over those of the host; of all whose id matches, the later ones win. */
  readonly models?: readonly ModelFacts[];
}

export interface ModelFacts {
  readonly id: RegExp;
  /** Which models these are, in words. */
  readonly models: string;
  readonly facts: readonly Fact[];
}

export const fact = (source: string, sure: Sure, rules: Rules): Fact => ({ source, sure, rules });

/** What the facts say together; later ones win, but what is refused of members adds up. */
export function merged(facts: readonly Fact[]): Rules {
  const refusedMembers = [...new Set(facts.flatMap(({ rules }) => rules.refusedMembers ?? []))];
  return Object.assign(
    {},
    ...facts.map(({ rules }) => rules),
    refusedMembers.length > 0 && { refusedMembers },
  );
}

/** What nearly all of them copy from OpenAI. */
export const COPY: Fact = fact(
  'npm openai 6.49.0 ChatCompletionCreateParams, which most hosts copy',
  'assumed',
  {
    pairedCalls: true,
    extraMembers: false,
    refusals: false,
    functions: false,
    emptyContents: 'none',
    emptyTools: false,
    toolNames: 'plain',
    maxToolName: 64,
    toolChoices: ['none', 'auto', 'required', 'function'],
    knownChoices: true,
    images: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  },
);
