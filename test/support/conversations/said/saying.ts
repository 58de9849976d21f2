import { createHash } from 'node:crypto';
import { canonical, canonicalOf, wellFormed } from '../exact-json.js';

export type Side = 'system' | 'user' | 'assistant';

/** One thing that a conversation says. */
export type Saying =
  | { readonly kind: 'text'; readonly side: Side; readonly text: string }
  | { readonly kind: 'media'; readonly side: Side; readonly media: string }
  | { readonly kind: 'thought'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      /** Canonical JSON, with all digits; the text itself where it is none. */
      readonly input: string;
    }
  | {
      readonly kind: 'result';
      /** Which call of the conversation it is of, by number; undefined for one without a call. */
      readonly call: number | undefined;
      readonly texts: readonly string[];
      readonly media: readonly string[];
      readonly isError: boolean;
    };

/** All that a request says, in order, in one form for all APIs. */
export interface Said {
  readonly sayings: readonly Saying[];
  /** Names of the tools that the model may call. */
  readonly tools: readonly string[];
  /** What is said of the tools, where content may have moved to. */
  readonly descriptions: readonly string[];
}

export type Call = Extract<Saying, { kind: 'call' }>;
export type Result = Extract<Saying, { kind: 'result' }>;

/** Halves of surrogate pairs as U+FFFD, and no blanks around it. */
export function normal(text: string): string {
  return wellFormed(text).trim();
}

/** What bytes in base64 are, whatever they are called. */
export function mediaOf(base64: unknown): string {
  const bytes = Buffer.from(String(base64), 'base64');
  return `sha256:${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}

/** What an address or a data URL is. */
export function mediaAt(url: unknown): string {
  const data = /^data:[^,]*;base64,(.*)$/s.exec(String(url))?.[1];
  return data === undefined ? `url:${String(url)}` : mediaOf(data);
}

/** A file: what it says where it is of text, as hosts take such files as words; else what it is. */
export function fileSaying(side: Side, type: string, base64: unknown): Saying {
  return type.startsWith('text/')
    ? { kind: 'text', side, text: Buffer.from(String(base64), 'base64').toString() }
    : { kind: 'media', side, media: mediaOf(base64) };
}

/** Arguments that are text, as all APIs have them once they are read; none are an empty object. */
export function inputOf(text: string): string {
  if (text.trim() === '') return '{}';
  return canonicalOf(text) ?? wellFormed(text);
}

export function inputOfValue(value: unknown): string {
  return canonical(value ?? {});
}

/** Which call a result answers, while a conversation is read. */
interface Pairing {
  /** The next message. */
  turn(): void;
  called(id: string): void;
  /**
   * The number of the call: of those with its id that have no result yet the first of the latest message, else the last one
   * with its id.
   */
  answered(id: string): number | undefined;
}

export function pairing(): Pairing {
  const calls: { id: string; turn: number; isAnswered: boolean }[] = [];
  let now = 0;
  return {
    turn() {
      now += 1;
    },
    called: (id) => void calls.push({ id, turn: now, isAnswered: false }),
    answered(id) {
      const last = calls.findLast((call) => call.id === id && !call.isAnswered);
      const open = calls.findIndex((call) => call.id === id && !call.isAnswered && call.turn === last?.turn);
      const index = open >= 0 ? open : calls.findLastIndex((call) => call.id === id);
      const call = calls[index];
      if (call === undefined) return undefined;
      call.isAnswered = true;
      return index;
    },
  };
}

/** Every text within a value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
