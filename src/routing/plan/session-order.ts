/**
 * Keeps each session to one of several equal endpoints, and to one of several equal keys: `docs/routing.md#sessions`. Both by
 * rendezvous hashing: whoever comes or goes moves only its own sessions, and every process chooses the same.
 */
import { createHash } from 'node:crypto';
import type { ByokKey, Filter } from '../../byok/types.js';
import type { Attempt } from '../types.js';
import type { Candidate } from './candidate.js';

/** How much the session is for the endpoint or key with this id: among equals it takes the one that has the most. */
export type Affinity = (id: string) => number;

/** Each is computed once: a plan asks for that of an endpoint with every key. */
export function affinityOf(session: string): Affinity {
  const known = new Map<string, number>();
  return (id) => {
    const affinity =
      known.get(id) ?? createHash('sha256').update(`${session}\0${id}`).digest().readUIntBE(0, 6);
    known.set(id, affinity);
    return affinity;
  };
}

/** What the order of keys depends on. */
interface Keyed {
  readonly candidate: Pick<Candidate, 'priceClass'>;
  readonly attempt: Attempt;
}

/** The attempts of one key that stand together, the cheapest first. */
interface KeyBlock<One extends Keyed> {
  readonly first: One;
  readonly all: readonly One[];
}

/**
 * The ordered attempts, with keys that are equal and stand side by side in the session's order. `compareGroups` is 0 for attempts
 * of the same state, section and status.
 */
export function spreadOverKeys<One extends Keyed>(
  ordered: readonly One[],
  affinity: Affinity,
  compareGroups: (a: One, b: One) => number,
): readonly One[] {
  if (!ordered.some(({ attempt }, index) => isOtherKey(attempt, ordered[index + 1]?.attempt))) return ordered;
  const runs: KeyBlock<One>[][] = [];
  for (const block of blocksOf(ordered, compareGroups)) {
    const run = runs.at(-1);
    const last = run?.[0];
    const isEqual =
      last !== undefined && compareGroups(last.first, block.first) === 0 && areEqual(last.first, block.first);
    if (run !== undefined && isEqual) run.push(block);
    else runs.push([block]);
  }
  return runs.flatMap((run) => inAffinity(run, affinity)).flatMap(({ all }) => all);
}

function isOtherKey({ key }: Attempt, next: Attempt | undefined): boolean {
  return key !== null && next !== undefined && next.key !== null && next.key !== key;
}

function blocksOf<One extends Keyed>(
  ordered: readonly One[],
  compareGroups: (a: One, b: One) => number,
): KeyBlock<One>[] {
  const blocks: { readonly first: One; readonly all: One[] }[] = [];
  for (const one of ordered) {
    const block = blocks.at(-1);
    const isSame = block?.first.attempt.key === one.attempt.key && compareGroups(block.first, one) === 0;
    if (isSame) block.all.push(one);
    else blocks.push({ first: one, all: [one] });
  }
  return blocks;
}

function inAffinity<One extends Keyed>(
  run: readonly KeyBlock<One>[],
  affinity: Affinity,
): readonly KeyBlock<One>[] {
  if (run.length < 2) return run;
  return run
    .map((block) => ({ block, rank: affinity(block.first.attempt.key?.id ?? '') }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ block }) => block);
}

/** Whether nothing but its position tells the one key from the other: they cost the same and are for the same callers. */
function areEqual(a: Keyed, b: Keyed): boolean {
  const [one, other] = [a.attempt.key, b.attempt.key];
  return (
    one !== null &&
    other !== null &&
    one.provider === other.provider &&
    a.candidate.priceClass === b.candidate.priceClass &&
    haveSameRules(one, other)
  );
}

function haveSameRules(one: ByokKey, other: ByokKey): boolean {
  return (
    one.workspaceId === other.workspaceId &&
    isSameFilter(one.allowedModels, other.allowedModels) &&
    isSameFilter(one.allowedApiKeyHashes, other.allowedApiKeyHashes) &&
    isSameFilter(one.allowedUserIds, other.allowedUserIds)
  );
}

/** Filters have at most 100 entries; their order means nothing. */
function isSameFilter(one: Filter, other: Filter): boolean {
  if (one === other) return true;
  if (one === null || other === null || one.length !== other.length) return false;
  const entries = new Set(one);
  return other.every((entry) => entries.has(entry));
}
