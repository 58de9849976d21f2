/** Scripts of the demo provider, named like `status-429`: `docs/formats.md#demo`. */

/** What happens in an attempt. Counts are in words of the answer; `wordMs` is the time per word. */
export type Script =
  | { readonly kind: 'answer'; readonly style: 'echo' | 'reasoner' | 'tools'; readonly wordMs: number }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'content-filter' }
  /** The connection breaks before an answer. */
  | { readonly kind: 'reset' }
  /** No response ever comes. */
  | { readonly kind: 'stall' }
  /** The answer stalls, its connection breaks, it ends without a finish reason, or it becomes unreadable. */
  | {
      readonly kind: 'interrupted';
      readonly how: 'stall' | 'break' | 'truncate' | 'malformed';
      readonly afterWords: number;
    };

/** Words before an interruption if the script's name gives no number. */
const WORDS_BEFORE_INTERRUPTION = 3;

/** The script that a BYOK credential names: `demo-`, the script's name, and anything after another hyphen. */
export function scriptOfCredential(credential: string): Script | undefined {
  return credential.startsWith('demo-') ? parseScript(credential.slice('demo-'.length)) : undefined;
}

/** The script of a model; an unknown name is an echo. */
export function scriptOfModel(upstreamModelId: string): Script {
  return parseScript(upstreamModelId) ?? answer('echo');
}

const NAMES = [
  'echo',
  'free',
  'reasoner',
  'tools',
  'content-filter',
  'reset',
  'truncate',
  'malformed',
  String.raw`status-(?<status>[45]\d\d)`,
  String.raw`slow-(?<wordMs>\d{1,5})`,
  String.raw`(?:stall|break)-after-(?<words>\d{1,5})`,
  'stall',
  'break',
];
const SCRIPT = new RegExp(`^(?<name>${NAMES.join('|')})(?:-|$)`);

function parseScript(text: string): Script | undefined {
  const groups = SCRIPT.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { name = '', status, wordMs, words } = groups;
  if (status !== undefined) return { kind: 'status', status: Number(status) };
  if (wordMs !== undefined) return answer('echo', Number(wordMs));
  if (words !== undefined) return interrupted(name.startsWith('stall') ? 'stall' : 'break', Number(words));
  switch (name) {
    case 'reasoner':
    case 'tools':
      return answer(name);
    case 'content-filter':
    case 'reset':
    case 'stall':
      return { kind: name };
    case 'break':
    case 'truncate':
    case 'malformed':
      return interrupted(name, WORDS_BEFORE_INTERRUPTION);
    default:
      return answer('echo');
  }
}

function answer(style: 'echo' | 'reasoner' | 'tools', wordMs = 0): Script {
  return { kind: 'answer', style, wordMs };
}

function interrupted(how: 'stall' | 'break' | 'truncate' | 'malformed', afterWords: number): Script {
  return { kind: 'interrupted', how, afterWords };
}
