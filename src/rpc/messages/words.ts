import type { Violation } from '../../base/problem.js';

/** What a filter may name. */
const MAX_WORDS = 100;

/** The words of a list by comma, each once; null without a list. */
export function wordsOf(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  return [...new Set(text.split(',').map((word) => word.trim()))];
}

/** For each of the members that has an empty word or too many. */
export function wordViolations<Member extends string>(
  request: Readonly<Partial<Record<Member, string | undefined>>>,
  members: readonly Member[],
): Violation[] {
  return members.flatMap((member) => {
    const words = wordsOf(request[member]) ?? [];
    const field = member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (words.includes('')) return [{ field, rule: 'words', message: 'must be words, separated by commas' }];
    if (words.length <= MAX_WORDS) return [];
    return [{ field, rule: 'count', message: `must name at most ${MAX_WORDS}` }];
  });
}
