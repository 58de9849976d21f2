import { canonical, canonicalOf, parseExact } from '../exact-json.js';
import { type Call, normal, type Result, type Said, type Saying, textsIn } from './saying.js';

/** What may be missing afterwards; nothing of it unless it is named. */
export interface Allowed {
  /** Thoughts, where the host refuses them or another family made them. */
  readonly thoughts?: boolean;
  /** Media at an address may be there as the data that are at it. */
  readonly fetched?: boolean;
  /** Tools that the model may not call in this request. */
  readonly tools?: boolean;
  /** Calls may be told in words with their name and arguments, where the model has no tools. */
  readonly spokenCalls?: boolean;
  /** Media of these, by what they are (`sha256:...`), which were named to the client as left out. */
  readonly media?: readonly string[];
}

/**
 * What a request no longer says. Texts may be joined, moved into another turn or a tool's description, and trimmed; halves of
 * characters may be U+FFFD; ids may be others; names may be others as long as each has one of its own; anything may be added.
 */
export function lost(before: Said, after: Said, allowed: Allowed = {}): string[] {
  const matches = matchedCalls(before, after);
  return [
    ...lostTexts(before, after),
    ...(allowed.spokenCalls === true ? unspokenCalls(before, after) : matches.lost),
    ...lostResults(before, after, matches.numbers),
    ...lostMedia(before, after, allowed),
    ...(allowed.thoughts === true ? [] : lostThoughts(before, after)),
    ...(allowed.tools === true ? [] : lostTools(before, after, matches.names)),
  ];
}

function lostTexts({ sayings }: Said, after: Said): string[] {
  const texts = sayings.flatMap((saying) => (saying.kind === 'text' ? [saying] : []));
  const places = [...allTexts(after)];
  const found: string[] = [];
  let cursor = 0;
  for (const { side, text } of texts) {
    const words = normal(text);
    if (words === '') continue;
    const later = places.findIndex((place, index) => index >= cursor && place.includes(words));
    if (later >= 0) {
      if (side !== 'system') cursor = later;
      continue;
    }
    const isElsewhere = places.some((place) => place.includes(words));
    if (!isElsewhere) found.push(`${side} text: ${JSON.stringify(words)}`);
    else if (side !== 'system') found.push(`order of ${side} text: ${JSON.stringify(words)}`);
  }
  return found;
}

/** Everything in which words may stand: texts in order, results with what they say, descriptions of tools last. */
function* allTexts({ sayings, descriptions }: Said): Generator<string> {
  for (const saying of sayings) {
    if (saying.kind === 'text') yield normal(saying.text);
    if (saying.kind === 'result') yield* saying.texts.map(normal);
  }
  yield* descriptions.map(normal);
}

interface Matches {
  readonly lost: readonly string[];
  /** Of each call before the number of the same call afterwards. */
  readonly numbers: ReadonlyMap<number, number>;
  readonly names: ReadonlyMap<string, string>;
}

/** Calls in their order; one that was there stands for the next with its arguments. */
function matchedCalls(before: Said, after: Said): Matches {
  const calls = callsOf(after);
  const numbers = new Map<number, number>();
  const names = new Map<string, string>();
  const missing: string[] = [];
  let cursor = 0;
  for (const [index, call] of callsOf(before).entries()) {
    const name = names.get(call.name);
    const next = calls.findIndex(
      (other, place) =>
        place >= cursor &&
        isSameInput(call.input, other.input) &&
        isNameOf(call.name, other.name, name, names),
    );
    const match = calls[next];
    if (match === undefined) {
      missing.push(`call ${index}: ${call.name} ${call.input}`);
      continue;
    }
    numbers.set(index, next);
    names.set(call.name, match.name);
    cursor = next + 1;
  }
  return { lost: missing, numbers, names };
}

/** Calls that no words of the assistant's tell of: `[Called NAME with ARGUMENTS]`. */
function unspokenCalls(before: Said, after: Said): string[] {
  const told = after.sayings.flatMap((saying) => {
    if (saying.kind !== 'text' || saying.side !== 'assistant') return [];
    return [...saying.text.matchAll(SPOKEN)].map(([, name = '', input = '']) => ({
      name,
      input: canonicalOf(input) ?? input,
    }));
  });
  const names = new Map<string, string>();
  return callsOf(before).flatMap((call) => {
    const match = told.find(
      ({ name, input }) =>
        isSameInput(call.input, input) && isNameOf(call.name, name, names.get(call.name), names),
    );
    if (match === undefined) return [`words of a call: ${call.name} ${call.input}`];
    names.set(call.name, match.name);
    return [];
  });
}

const SPOKEN = /\[Called ([\s\S]*?) with ([\s\S]*?)\](?=\n\[Called |\n\n|$)/g;

function isNameOf(
  name: string,
  other: string,
  known: string | undefined,
  names: ReadonlyMap<string, string>,
): boolean {
  if (known !== undefined) return known === other;
  const taken = [...names].find(([, mapped]) => mapped === other);
  return taken === undefined || taken[0] === name;
}

/** The same arguments; of those that are no object, as the whole or a part of a text or member that is there now. */
function isSameInput(before: string, after: string): boolean {
  if (before === after || (before === 'null' && after === '{}')) return true;
  if (canonicalOf(after) === undefined || (before.startsWith('{') && canonicalOf(before) !== undefined))
    return false;
  const members = Object.values(Object(parseExact(after)));
  const text = canonicalOf(before) === undefined ? before : JSON.parse(before);
  return (
    members.some((member) => canonical(member) === before) ||
    textsIn(members).some((words) => words.includes(typeof text === 'string' ? text : before))
  );
}

function callsOf({ sayings }: Said): Call[] {
  return sayings.filter((saying): saying is Call => saying.kind === 'call');
}

function resultsOf({ sayings }: Said): Result[] {
  return sayings.filter((saying): saying is Result => saying.kind === 'result');
}

/** Results of calls stay theirs, with what they say and that they failed; what has no call may stand anywhere. */
function lostResults(before: Said, after: Said, numbers: ReadonlyMap<number, number>): string[] {
  const results = resultsOf(after);
  const everywhere = [...allTexts(after)];
  const answered = new Set<number>();
  return resultsOf(before).flatMap(({ call, texts, isError }) => {
    const number = call === undefined ? undefined : numbers.get(call);
    const isRepeated = call !== undefined && answered.has(call);
    if (call !== undefined) answered.add(call);
    const own = results.filter((result) => result.call !== undefined && result.call === number);
    const spoken = own.flatMap((result) => result.texts.map(normal));
    const places = number === undefined || isRepeated ? everywhere : spoken;
    const missing = texts
      .map(normal)
      .filter((words) => words !== '' && !places.some((place) => says(place, words)));
    const found = missing.map((words) => `result of call ${call}: ${JSON.stringify(words)}`);
    if (number !== undefined && own.length === 0) found.push(`result of call ${call}`);
    const isTold = own.some((result) => result.isError) || spoken.some((words) => /^error/i.test(words));
    if (isError && number !== undefined && !isTold) found.push(`that call ${call} failed`);
    return found;
  });
}

function says(place: string, words: string): boolean {
  if (place.includes(words)) return true;
  const value = canonicalOf(words);
  return value !== undefined && (place === value || canonicalOf(place) === value);
}

function lostMedia(before: Said, after: Said, { fetched, media: omitted = [] }: Allowed): string[] {
  const left = [...mediaOf(after)];
  const missing: string[] = [];
  for (const media of mediaOf(before)) {
    const at = left.indexOf(media);
    if (at >= 0) left.splice(at, 1);
    else missing.push(media);
  }
  const data = left.filter((media) => media.startsWith('sha256:')).length;
  const urls = missing.filter((media) => media.startsWith('url:'));
  const isFetched = fetched === true && urls.length <= data;
  return missing
    .filter((media) => !(isFetched && urls.includes(media)) && !omitted.includes(media))
    .map((media) => `media: ${media}`);
}

function* mediaOf({ sayings }: Said): Generator<string> {
  for (const saying of sayings) {
    if (saying.kind === 'media') yield saying.media;
    if (saying.kind === 'result') yield* saying.media;
  }
}

function lostThoughts(before: Said, after: Said): string[] {
  const thoughts = (said: Said): string[] =>
    said.sayings.flatMap((saying: Saying) => (saying.kind === 'thought' ? [normal(saying.text)] : []));
  const there = thoughts(after);
  return thoughts(before)
    .filter((words) => words !== '' && !there.some((place) => place.includes(words)))
    .map((words) => `thought: ${JSON.stringify(words)}`);
}

function lostTools(before: Said, after: Said, names: ReadonlyMap<string, string>): string[] {
  const there = new Set(after.tools);
  const distinct = new Set(before.tools);
  const missing = [...distinct].filter((name) => names.has(name) && !there.has(names.get(name) ?? name));
  const found = missing.map((name) => `tool: ${name}`);
  return there.size >= distinct.size
    ? found
    : [...found, `tools: ${distinct.size} before, ${there.size} after`];
}
