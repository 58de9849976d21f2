/**
 * The one way out of the adapters: whatever a provider says in an answer, a piece of a stream or an error passes
 * through here, and leaves without the secrets that the provider was called with. What holds none of them is passed on
 * as it is, not a copy of it. What is secret, and what counts as content, is said at `Redactor`.
 */
import { Redactor } from '../../byok/redaction/redactor.js';
import type { SecretHolder } from '../../byok/redaction/secrets.js';
import type {
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/attempts/adapter.js';
import { malformed } from '../http/failures.js';
import { redactThrown } from './redact-thrown.js';

/** An adapter as it is written: it tells the call's redactor of the secrets that it makes, and need not use it. */
export interface UnredactedAdapter<Credential> {
  /** As `UpstreamAdapter.complete`. */
  complete(call: UpstreamCall<Credential>, redactor: Redactor): Promise<UpstreamAnswer>;
  /** As `UpstreamAdapter.stream`. */
  stream(call: UpstreamCall<Credential>, redactor: Redactor): AsyncGenerator<UpstreamEvent, void, undefined>;
}

/** The adapter as the chat is given it. */
export function redacting<Credential extends SecretHolder>(
  adapter: UnredactedAdapter<Credential>,
): UpstreamAdapter<Credential> {
  return {
    async complete(call) {
      const redactor = Redactor.of(call.credential);
      try {
        return redactAnswer(await adapter.complete(call, redactor), redactor);
      } catch (thrown) {
        throw redactThrown(thrown, redactor);
      }
    },
    stream(call) {
      const redactor = Redactor.of(call.credential);
      return new RedactedEvents(adapter.stream(call, redactor), redactor);
    },
  };
}

/** An iterator of its own: another generator around the adapter's would cost more than the redaction. */
class RedactedEvents implements AsyncIterableIterator<UpstreamEvent, void, undefined> {
  readonly #events: AsyncGenerator<UpstreamEvent, void, undefined>;
  readonly #redactor: Redactor;

  constructor(events: AsyncGenerator<UpstreamEvent, void, undefined>, redactor: Redactor) {
    this.#events = events;
    this.#redactor = redactor;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<UpstreamEvent, void>> {
    try {
      const next = await this.#events.next();
      if (next.done === true) return next;
      const event = redactEvent(next.value, this.#redactor);
      return event === next.value ? next : { done: false, value: event };
    } catch (thrown) {
      throw redactThrown(thrown, this.#redactor);
    }
  }

  return(): Promise<IteratorResult<UpstreamEvent, void>> {
    return this.#events.return();
  }
}

/**
 * Where content is, by the names of members; the elements of an array are in the array's place. `media`: of a `data:` URL
 * its data, of any other nothing.
 */
type Shape = 'content' | 'media' | { readonly [member: string]: Shape };

const MESSAGE: Shape = {
  content: 'content',
  refusal: 'content',
  reasoning: 'content',
  reasoning_details: { text: 'content', summary: 'content' },
  tool_calls: { function: { arguments: 'content' }, custom: { input: 'content' } },
  function_call: { arguments: 'content' },
  images: { image_url: { url: 'media' } },
  audio: { data: 'content', transcript: 'content' },
};

const CHOICE: Shape = { message: MESSAGE };
const PLAIN: Shape = {};

/** The choices of an answer. Throws `UpstreamFailure` `malformed` at JSON that is nested beyond all measure. */
export function redactChoices<T extends object>(choices: readonly T[], redactor: Redactor): readonly T[] {
  return redact(choices, CHOICE, redactor);
}

/** JSON in which nothing is content. Throws as `redactChoices` does. */
export function redactJson<T>(json: T, redactor: Redactor): T {
  return redact(json, PLAIN, redactor);
}

function redactAnswer(answer: UpstreamAnswer, redactor: Redactor): UpstreamAnswer {
  const choices = redactChoices(answer.choices, redactor);
  const systemFingerprint = redactJson(answer.systemFingerprint, redactor);
  return choices === answer.choices && systemFingerprint === answer.systemFingerprint
    ? answer
    : { ...answer, choices, systemFingerprint };
}

function redactEvent(event: UpstreamEvent, redactor: Redactor): UpstreamEvent {
  switch (event.type) {
    case 'delta': {
      const delta = redact(event.delta, MESSAGE, redactor);
      const logprobs = redactJson(event.logprobs, redactor);
      if (delta === event.delta && logprobs === event.logprobs) return event;
      return { ...event, delta, ...(logprobs !== undefined && { logprobs }) };
    }
    case 'finish':
      return event.nativeReason === null
        ? event
        : { ...event, nativeReason: redactor.member(event.nativeReason) };
    case 'fingerprint':
      return { ...event, fingerprint: redactor.member(event.fingerprint) };
    case 'usage':
      return event;
  }
}

/** Far more than any answer has, and far from what exhausts the stack. */
const MAX_DEPTH = 500;

/** The same value where nothing in it is secret. What is copied keeps its type: texts stay texts, members their order. */
function redact<T>(value: T, shape: Shape, redactor: Redactor): T {
  return redacted(value, shape, redactor, MAX_DEPTH) as T;
}

function redacted(value: unknown, shape: Shape, redactor: Redactor, depth: number): unknown {
  if (typeof value === 'string') return redactedText(value, shape, redactor);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) throw malformed();
  return Array.isArray(value)
    ? redactedList(value, shape, redactor, depth)
    : redactedObject(value as Readonly<Record<string, unknown>>, shape, redactor, depth);
}

function redactedText(text: string, shape: Shape, redactor: Redactor): string {
  if (shape === 'content') return redactor.content(text);
  const head = shape === 'media' && text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  return head === 0
    ? redactor.member(text)
    : redactor.member(text.slice(0, head)) + redactor.content(text.slice(head));
}

/** A list of bytes is read as the text that it says, which is how some tell of tokens. */
function redactedList(
  list: readonly unknown[],
  shape: Shape,
  redactor: Redactor,
  depth: number,
): readonly unknown[] {
  if (isNumbers(list)) {
    const text = Buffer.from(list).toString('latin1');
    const told = redactor.member(text);
    return told === text ? list : [...Buffer.from(told, 'latin1')];
  }
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const said = list[index];
    const told = redacted(said, shape, redactor, depth - 1);
    if (told === said) continue;
    copy ??= [...list];
    copy[index] = told;
  }
  return copy ?? list;
}

function isNumbers(list: readonly unknown[]): list is readonly number[] {
  return typeof list[0] === 'number' && list.every((element) => typeof element === 'number');
}

/** Names of members are redacted too. */
function redactedObject(
  object: Readonly<Record<string, unknown>>,
  shape: Shape,
  redactor: Redactor,
  depth: number,
): object {
  let changed: Map<string, readonly [string, unknown]> | undefined;
  for (const name in object) {
    const said = object[name];
    const told = redacted(said, shapeOf(shape, name), redactor, depth - 1);
    const toldName = redactor.member(name);
    if (told === said && toldName === name) continue;
    changed ??= new Map();
    changed.set(name, [toldName, told]);
  }
  if (changed === undefined) return object;
  const entries = Object.entries(object).map((entry) => changed.get(entry[0]) ?? entry);
  return Object.fromEntries(entries);
}

function shapeOf(shape: Shape, name: string): Shape {
  if (typeof shape === 'string' || !Object.hasOwn(shape, name)) return PLAIN;
  return shape[name] ?? PLAIN;
}
