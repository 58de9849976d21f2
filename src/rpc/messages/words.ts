import type { Violation } from '../../base/problem.js';

/** What a filter may name. */
const MAX_WORDS = 100;

const NO_WORDS = 'must be words without blanks, separated by commas';

/** The words of a list by comma, each once; null without a list. */
export function wordsOf(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  return [...new Set(text.split(','))];
}

/** Names by comma, each of which may have commas itself: the whole text is one of them, too. null without a list. */
export function namesOf(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  const names = text.split(',');
  return [...new Set(names.length === 1 ? names : [...names, text])];
}

/** For each of the members that has an empty name, or too many. */
export function nameViolations<Member extends string>(
  request: Readonly<Partial<Record<Member, string | undefined>>>,
  members: readonly Member[],
): Violation[] {
  return members.flatMap((member) => {
    const names = namesOf(request[member]) ?? [];
    const field = fieldOf(member);
    if (names.some((name) => name.trim() === '')) return [{ field, rule: 'words', message: NO_NAMES }];
    return names.length <= MAX_WORDS ? [] : [tooMany(field)];
  });
}

const NO_NAMES = 'must be names separated by commas';

function fieldOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function tooMany(field: string): Violation {
  return { field, rule: 'count', message: `must name at most ${MAX_WORDS}` };
}

const WORD = /^\S+$/;

/** For each of the members that has an empty word, one with a blank, or too many. */
export function wordViolations<Member extends string>(
  request: Readonly<Partial<Record<Member, string | undefined>>>,
  members: readonly Member[],
): Violation[] {
  return members.flatMap((member) => {
    const words = wordsOf(request[member]) ?? [];
    const field = fieldOf(member);
    if (!words.every((word) => WORD.test(word))) return [{ field, rule: 'words', message: NO_WORDS }];
    return words.length <= MAX_WORDS ? [] : [tooMany(field)];
  });
}
