import type { Violation } from '../../base/problem.js';

/** What a filter may name. */
const MAX_WORDS = 100;

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
  request: Filters<Member>,
  members: readonly Member[],
): Violation[] {
  return listViolations(request, members, NAMES);
}

/** For each of the members that has an empty word, one with a blank, or too many. */
export function wordViolations<Member extends string>(
  request: Filters<Member>,
  members: readonly Member[],
): Violation[] {
  return listViolations(request, members, WORDS);
}

type Filters<Member extends string> = Readonly<Partial<Record<Member, string | undefined>>>;

/** How a list is read, and what its entries are. */
interface ListKind {
  read(text: string | undefined): readonly string[] | null;
  readonly entry: RegExp;
  readonly message: string;
}

const WORDS: ListKind = {
  read: wordsOf,
  entry: /^\S+$/,
  message: 'must be words without blanks, separated by commas',
};
const NAMES: ListKind = { read: namesOf, entry: /\S/, message: 'must be names separated by commas' };

function listViolations<Member extends string>(
  request: Filters<Member>,
  members: readonly Member[],
  { read, entry, message }: ListKind,
): Violation[] {
  return members.flatMap((member) => {
    const entries = read(request[member]) ?? [];
    const field = member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (!entries.every((one) => entry.test(one))) return [{ field, rule: 'words', message }];
    if (entries.length <= MAX_WORDS) return [];
    return [{ field, rule: 'count', message: `must name at most ${MAX_WORDS}` }];
  });
}
