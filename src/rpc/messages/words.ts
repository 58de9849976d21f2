import type { Violation } from '../../base/problem.js';

/** What a filter may name. */
const MAX_WORDS = 100;

const NO_WORDS = 'must be words without blanks, separated by commas';

/** The words of a list by comma, each once; null without a list. */
export function wordsOf(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  return [...new Set(text.split(','))];
}

const WORD = /^\S+$/;

/** For each of the members that has an empty word, one with a blank, or too many. */
export function wordViolations<Member extends string>(
  request: Readonly<Partial<Record<Member, string | undefined>>>,
  members: readonly Member[],
): Violation[] {
  return members.flatMap((member) => {
    const words = wordsOf(request[member]) ?? [];
    const field = member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (!words.every((word) => WORD.test(word))) return [{ field, rule: 'words', message: NO_WORDS }];
    if (words.length <= MAX_WORDS) return [];
    return [{ field, rule: 'count', message: `must name at most ${MAX_WORDS}` }];
  });
}
