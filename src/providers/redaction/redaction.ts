/**
 * The only exit from the adapters. Every answer, event and error of a provider passes through here, and the secrets
 * that the provider was called with are redacted. Values without secrets are passed on uncopied. `Redactor` defines
 * what is secret, and what counts as content.
 */
import { JsonText } from '../../base/json/json-text.js';
import { mapStream, type PushStream } from '../../base/push-stream.js';
import { mayBeEncoded } from '../../byok/redaction/decoded.js';
import { Redactor } from '../../byok/redaction/redactor.js';
import type { CredentialOrEntry } from '../../byok/redaction/secrets.js';
import type { Format } from '../../catalog/types.js';
import type {
  NativeEvent,
  NormalizedAnswer,
  NormalizedEvent,
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/ports/adapter.js';
import { malformed } from '../common/failures.js';
import { redactThrown } from './redact-thrown.js';
import { CHOICE, MESSAGE, NATIVE_SHAPES, PLAIN, type RedactedShape } from './shapes.js';

/**
 * An adapter before redaction. Its only duty is to add secrets that it creates (tokens, signatures) to the redactor.
 */
export interface UnredactedAdapter<Credential> {
  complete(call: UpstreamCall<Credential>, redactor: Redactor): Promise<UpstreamAnswer>;
  stream(call: UpstreamCall<Credential>, redactor: Redactor): PushStream<UpstreamEvent>;
  countTokens?(call: UpstreamCall<Credential>, redactor: Redactor): Promise<number | undefined>;
}

/** Adds redaction to an adapter. */
export function redacting<Credential extends CredentialOrEntry>(
  adapter: UnredactedAdapter<Credential>,
): UpstreamAdapter<Credential> {
  const { countTokens } = adapter;
  return {
    ...(countTokens !== undefined && {
      async countTokens(call: UpstreamCall<Credential>) {
        const redactor = redactorOf(call);
        return countTokens(call, redactor).catch((thrown: unknown) => {
          throw redactThrown(thrown, redactor);
        });
      },
    }),
    async complete(call) {
      const redactor = redactorOf(call);
      try {
        return redactAnswer(await adapter.complete(call, redactor), redactor);
      } catch (thrown) {
        throw redactThrown(thrown, redactor);
      }
    },
    stream(call) {
      const redactor = redactorOf(call);
      return mapStream(adapter.stream(call, redactor), {
        items: (events) => events.map((event) => redactEvent(event, call.format, redactor)),
        error: (thrown) => redactThrown(thrown, redactor),
      });
    },
  };
}

/** A redactor for the credential, and for the values of the headers that the provider's host gets. */
function redactorOf({ credential, hostHeaders }: UpstreamCall<CredentialOrEntry>): Redactor {
  const redactor = Redactor.of(credential);
  for (const secret of hostHeaders?.secrets ?? []) redactor.addToken(secret);
  return redactor;
}

/**
 * Redacts the choices of an answer. Throws `UpstreamFailure` `malformed` for JSON with more than 500 levels, or with
 * more text outside its content than any answer has.
 */
export function redactChoices<T extends object>(choices: readonly T[], redactor: Redactor): readonly T[] {
  return redact(choices, CHOICE, redactor);
}

/** Redacts JSON without content. Throws as `redactChoices` does. */
export function redactJson<T>(json: T, redactor: Redactor): T {
  return redact(json, PLAIN, redactor);
}

function redactAnswer(answer: UpstreamAnswer, redactor: Redactor): UpstreamAnswer {
  if (answer.format === 'chat') return redactNormalizedAnswer(answer, redactor);
  const native = redact(answer.native, NATIVE_SHAPES[answer.format].answer, redactor);
  const normalized = redactNormalizedAnswer(answer.normalized, redactor);
  return native === answer.native && normalized === answer.normalized
    ? answer
    : { ...answer, native, normalized };
}

function redactNormalizedAnswer<Answer extends NormalizedAnswer>(answer: Answer, redactor: Redactor): Answer {
  const choices = redactChoices(answer.choices, redactor);
  const systemFingerprint = redactJson(answer.systemFingerprint, redactor);
  const members = redactJson(answer.members, redactor);
  const mode = redactJson(answer.mode, redactor);
  const isClean =
    choices === answer.choices &&
    systemFingerprint === answer.systemFingerprint &&
    members === answer.members &&
    mode === answer.mode;
  if (isClean) return answer;
  return { ...answer, choices, systemFingerprint, ...(members && { members }), ...(mode && { mode }) };
}

function redactEvent(event: UpstreamEvent, format: Format, redactor: Redactor): UpstreamEvent {
  if (event.type !== 'native') return redactNormalizedEvent(event, redactor);
  return redactNative(event, eventShape(event, format), redactor);
}

/** Errors have no content, whatever their members are called. */
function eventShape({ event: { value } }: NativeEvent, format: Format): RedactedShape {
  return format === 'chat' || value.type === 'error' ? PLAIN : NATIVE_SHAPES[format].event;
}

/** Deltas and usage in terms of a chat are only counted, so they need no redaction. */
function redactNative(event: NativeEvent, shape: RedactedShape, redactor: Redactor): NativeEvent {
  const { value } = event.event;
  const redactedValue = redact(value, shape, redactor);
  const normalized = event.normalized.every(({ type }) => type === 'delta' || type === 'usage')
    ? event.normalized
    : event.normalized.map((one) => redactNormalizedEvent(one, redactor));
  if (redactedValue === value && normalized === event.normalized) return event;
  return { ...event, normalized, ...(redactedValue !== value && { event: JsonText.of(redactedValue) }) };
}

function redactNormalizedEvent(event: NormalizedEvent, redactor: Redactor): NormalizedEvent {
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
    case 'members': {
      const members = redactJson(event.members, redactor);
      return members === event.members ? event : { ...event, members };
    }
    case 'mode': {
      const mode = redactJson(event.mode, redactor);
      return mode === event.mode ? event : { ...event, mode };
    }
    case 'usage':
      return event;
  }
}

/** More than any answer has, and too little to exhaust the stack. */
const MAX_DEPTH = 500;

/** Maximum of characters in texts that are not content, since searching those takes longer. */
const MAX_MEMBER_CHARACTERS = 6 * 1024 * 1024;

/** Maximum of those characters in texts that have to be decoded first, which takes even longer. */
const MAX_ENCODED_CHARACTERS = 512 * 1024;

/** A value that is being redacted. */
interface Redaction {
  readonly redactor: Redactor;
  memberCharacters: number;
  encodedCharacters: number;
}

/** Returns the same value if it has no secret. Copies preserve types and the order of members. */
function redact<T>(value: T, shape: RedactedShape, redactor: Redactor): T {
  return redacted(value, shape, { redactor, memberCharacters: 0, encodedCharacters: 0 }, MAX_DEPTH) as T;
}

function redacted(value: unknown, shape: RedactedShape, redaction: Redaction, depth: number): unknown {
  if (typeof value === 'string') return redactedText(value, shape, redaction);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) throw malformed();
  return Array.isArray(value)
    ? redactedList(value, shape, redaction, depth)
    : redactedObject(value as Readonly<Record<string, unknown>>, shape, redaction, depth);
}

function redactedText(text: string, shape: RedactedShape, redaction: Redaction): string {
  const { redactor } = redaction;
  if (shape === 'content' || shape === 'contents') return redactor.content(text);
  const head = shape === 'media' && text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  return head === 0
    ? redactedMember(text, redaction)
    : redactor.member(text.slice(0, head)) + redactor.content(text.slice(head));
}

function redactedMember(text: string, redaction: Redaction): string {
  redaction.memberCharacters += text.length;
  if (redaction.memberCharacters > MAX_MEMBER_CHARACTERS) throw malformed();
  if (mayBeEncoded(text)) redaction.encodedCharacters += text.length;
  if (redaction.encodedCharacters > MAX_ENCODED_CHARACTERS) throw malformed();
  return redaction.redactor.member(text);
}

/** A list of bytes is redacted as the text that it encodes: log probabilities have tokens in that form. */
function redactedList(
  list: readonly unknown[],
  shape: RedactedShape,
  redaction: Redaction,
  depth: number,
): readonly unknown[] {
  if (isNumbers(list)) {
    const text = Buffer.from(list).toString('latin1');
    const redactedValue = redactedMember(text, redaction);
    return redactedValue === text ? list : [...Buffer.from(redactedValue, 'latin1')];
  }
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const value = list[index];
    const redactedValue = redacted(value, shape, redaction, depth - 1);
    if (redactedValue === value) continue;
    copy ??= [...list];
    copy[index] = redactedValue;
  }
  return copy ?? list;
}

function isNumbers(list: readonly unknown[]): list is readonly number[] {
  return typeof list[0] === 'number' && list.every((element) => typeof element === 'number');
}

/** Redacts the names of members too. */
function redactedObject(
  object: Readonly<Record<string, unknown>>,
  shape: RedactedShape,
  redaction: Redaction,
  depth: number,
): object {
  let changed: Map<string, readonly [string, unknown]> | undefined;
  for (const name in object) {
    const value = object[name];
    const redactedValue = redacted(value, shapeOf(shape, name), redaction, depth - 1);
    const redactedName = redactedMember(name, redaction);
    if (redactedValue === value && redactedName === name) continue;
    changed ??= new Map();
    changed.set(name, [redactedName, redactedValue]);
  }
  if (changed === undefined) return object;
  const entries = Object.entries(object).map((entry) => changed.get(entry[0]) ?? entry);
  return Object.fromEntries(entries);
}

function shapeOf(shape: RedactedShape, name: string): RedactedShape {
  if (shape === 'contents') return shape;
  if (typeof shape === 'string' || !Object.hasOwn(shape, name)) return PLAIN;
  return shape[name] ?? PLAIN;
}
