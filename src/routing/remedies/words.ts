/** Words that the sentences about causes and remedies share. */
import type { Exclusion, ExclusionReason } from '../types.js';

/** Where the refused caller can fix things. */
export interface RemedyLocation {
  /** null if it is not known. */
  readonly workspaceName: string | null;
  /** Root of absolute URLs, without a trailing slash; empty if it is not known. */
  readonly baseUrl: string;
}

/** Exclusions with the same cause. */
export interface Group {
  readonly reason: ExclusionReason;
  /** At least one. */
  readonly members: { modelId: string; slug: string; provider: string; exclusion: Exclusion }[];
}

/** Longer lists are cut: nobody needs all names to act on one. */
export const MAX_NAMES = 5;

/** `a`, `a or b`, `a, b or c`, `a, b or 7 others`. */
export function joined(names: readonly string[], conjunction = 'or'): string {
  const distinct = [...new Set(names)];
  const shown =
    distinct.length <= MAX_NAMES
      ? distinct
      : [...distinct.slice(0, MAX_NAMES - 1), `${distinct.length - MAX_NAMES + 1} others`];
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** The names of the providers, that of the model's own author first. */
export function providerNamesOf({ members }: Group): string {
  const isMaker = ({ modelId, slug }: Group['members'][number]) => modelId.startsWith(`${slug}/`);
  const sorted = [...members.filter(isMaker), ...members.filter((one) => !isMaker(one))];
  return joined(sorted.map(({ provider }) => provider));
}

export function modelsIn({ members }: Group): string {
  return joined(members.map(({ modelId }) => modelId));
}

export function sentence(cause: string, remedy: string): string {
  return `${cause.replace(/\.$/, '')}: ${remedy}`;
}
