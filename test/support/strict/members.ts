/** Rules about which members there may be. */
import { type Body, type Kind, placesOf } from './chat.js';
import { CALL, CALLING, called, calling, RESULT, tool, USER } from './examples.js';
import type { Context, Evidence, Example, Rule } from './rule.js';

type Place = Kind | 'user' | 'system' | 'assistant' | 'result';

interface Closed {
  readonly place: Place;
  /** Names of members, separated by spaces. */
  readonly names: string;
  words(path: string, name: string): string;
}

const STRANGE = { stranger: 1 };
const ROLES: Readonly<Record<string, string>> = {
  user: 'user',
  system: 'system',
  assistant: 'assistant',
  result: 'tool',
};

/** Refuses members that are not among these; null too. */
export function closed(evidence: Evidence, { place, names, words }: Closed): Rule {
  const allowed = new Set(names.split(/\s+/));
  return {
    ...evidence,
    refuses: `Members of a ${place} other than ${[...allowed].join(', ')}.`,
    example: exampleAt(place),
    violation: (body) => {
      const role = ROLES[place];
      const all = placesOf(body, role === undefined ? (place as Kind) : 'message');
      for (const { path, value } of all) {
        if (role !== undefined && value.role !== role) continue;
        const stranger = Object.keys(value).find((name) => !allowed.has(name) && value[name] !== undefined);
        if (stranger !== undefined) return words(path === '' ? stranger : `${path}.${stranger}`, stranger);
      }
      return undefined;
    },
  };
}

function exampleAt(place: Place): Example {
  switch (place) {
    case 'request':
      return { refused: STRANGE, taken: {} };
    case 'message':
    case 'user':
      return { refused: { messages: [{ ...USER, ...STRANGE }] }, taken: { messages: [USER] } };
    case 'system': {
      const system = { role: 'system', content: 'Be kind.' };
      return {
        refused: { messages: [{ ...system, ...STRANGE }, USER] },
        taken: { messages: [system, USER] },
      };
    }
    case 'assistant':
      return { refused: called({ ...CALLING, ...STRANGE }), taken: called() };
    case 'result':
      return { refused: called(CALLING, { ...RESULT, ...STRANGE }), taken: called() };
    case 'part': {
      const part = { type: 'text', text: 'Hello' };
      const said = (content: Body) => ({ messages: [{ role: 'user', content: [content] }] });
      return { refused: said({ ...part, ...STRANGE }), taken: said(part) };
    }
    case 'call':
      return { refused: called(calling(STRANGE)), taken: called() };
    case 'called function':
      return {
        refused: called(calling({ function: { ...(CALL.function as Body), ...STRANGE } })),
        taken: called(),
      };
    case 'tool':
      return { refused: { tools: [{ ...tool(), ...STRANGE }] }, taken: { tools: [tool()] } };
    case 'function':
      return { refused: { tools: [tool(STRANGE)] }, taken: { tools: [tool()] } };
  }
}

/** Refuses these members of a request, whatever their value, but for null and for values that `isTaken` knows. */
export function refused(
  evidence: Evidence,
  members: Body,
  words: (name: string, value: unknown) => string,
  isTaken: (value: unknown, name: string) => boolean = () => false,
): Rule {
  const names = Object.keys(members);
  return {
    ...evidence,
    refuses: `${names.join(', ')}${isTaken({}, '') === isTaken(1, names[0] ?? '') ? '' : ', but for the default'}.`,
    example: { refused: Object.fromEntries(Object.entries(members).slice(0, 1)), taken: {} },
    violation: (body) => {
      const name = names.find((one) => isGiven(body[one]) && !isTaken(body[one], one));
      return name === undefined ? undefined : words(name, body[name]);
    },
  };
}

/** Refuses members of this name anywhere in a body but in schemas and arguments. */
export function refusedAnywhere(evidence: Evidence, name: string, words: (path: string) => string): Rule {
  const mark = { [name]: { type: 'ephemeral' } };
  const said = (part: Body) => ({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', ...part }] }],
  });
  const kinds: readonly Kind[] = ['request', 'message', 'part', 'call', 'tool', 'function'];
  return {
    ...evidence,
    refuses: `${name}, wherever it is.`,
    example: { refused: said(mark), taken: said({}) },
    violation: (body) => {
      const all = kinds.flatMap((kind) => placesOf(body, kind));
      const marked = all.find(({ value }) => value[name] !== undefined);
      return marked === undefined ? undefined : words(marked.path === '' ? name : `${marked.path}.${name}`);
    },
  };
}

/** Refuses a member without the one that it belongs to. */
export function needs(evidence: Evidence, member: Body, other: Body, words: string): Rule {
  const [name = ''] = Object.keys(member);
  const [needed = ''] = Object.keys(other);
  return {
    ...evidence,
    refuses: `${name} without ${needed}.`,
    example: { refused: member, taken: { ...member, ...other } },
    violation: (body) => (isGiven(body[name]) && !isOn(body[needed]) ? words : undefined),
  };
}

/** Refuses two members together. */
export function exclusive(evidence: Evidence, one: Body, other: Body, words: string): Rule {
  const [first = ''] = Object.keys(one);
  const [second = ''] = Object.keys(other);
  return {
    ...evidence,
    refuses: `${first} and ${second} together.`,
    example: { refused: { ...one, ...other }, taken: one },
    violation: (body) => (isGiven(body[first]) && isGiven(body[second]) ? words : undefined),
  };
}

/** Refuses numbers out of a range, both ends of which are taken. */
export function within(
  evidence: Evidence,
  name: string,
  { least, most }: { least: number; most: number },
  words = `${name} must be between ${least} and ${most}`,
): Rule {
  return {
    ...evidence,
    refuses: `${name} below ${least} or above ${most}.`,
    example: { refused: { [name]: most + 1 }, taken: { [name]: most } },
    violation: ({ [name]: value }) =>
      typeof value === 'number' && (value < least || value > most) ? words : undefined,
  };
}

/** Takes only one value, which may depend on the request. */
export function fixed(
  evidence: Evidence,
  name: string,
  taken: (context: Context) => number,
  words: (value: number) => string,
): Rule {
  const plain = taken({ model: '', thinks: false });
  return {
    ...evidence,
    refuses: `${name} other than the one that the model has.`,
    example: { refused: { [name]: plain + 0.3 }, taken: { [name]: plain } },
    violation: ({ [name]: value }, context) =>
      isGiven(value) && value !== taken(context) ? words(taken(context)) : undefined,
  };
}

/** Refuses texts of more characters. */
export function longest(
  evidence: Evidence,
  name: string,
  most: number,
  words: (length: number) => string,
): Rule {
  return {
    ...evidence,
    refuses: `${name} of more than ${most} characters.`,
    example: { refused: { [name]: 'x'.repeat(most + 1) }, taken: { [name]: 'x'.repeat(most) } },
    violation: ({ [name]: value }) =>
      typeof value === 'string' && value.length > most ? words(value.length) : undefined,
  };
}

/** Stop sequences are at most so many. */
export function stopCount(evidence: Evidence, most: number, words: string): Rule {
  const stop = Array.from({ length: most + 1 }, (_, index) => `stop${index}`);
  return {
    ...evidence,
    refuses: `More than ${most} stop sequences.`,
    example: { refused: { stop }, taken: { stop: stop.slice(1) } },
    violation: ({ stop: given }) => (Array.isArray(given) && given.length > most ? words : undefined),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isOn(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isGiven(value) && value !== false;
}
