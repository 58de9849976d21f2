/** The conversation in Gemini's format: turns of user and model, with tool results right after their calls. */
import { textKey } from '../../../../base/text.js';
import type { ChatMessage, JsonObject, ToolCall } from '../../../../formats/chat/types.js';
import { isObject } from '../../../../formats/json.js';
import { plainCallId } from '../../../common/call-id.js';
import { NO_SIGNATURE, type Signatures, signaturesIn } from '../../../common/gemini-signatures.js';
import { argumentsOf, type NestedJson } from '../../../common/nested-json.js';
import { generationOf } from '../../host/publisher.js';
import { resultText } from './nested.js';
import { geminiParts } from './parts.js';
import { untranslatable } from './untranslatable.js';

/** The first generation that refuses calls without a signature in the current turn. */
const FIRST_WITH_SIGNATURES = 3;

/** More than Google accepts. The limit matters because every result of a call repeats its name. */
const MAX_NAME_CHARACTERS = 256;

/** Sent as the user's text where Gemini wants some and there is none. */
const PLACEHOLDER: JsonObject = { text: '.' };

export interface Conversation {
  readonly systemInstruction?: { readonly parts: readonly JsonObject[] };
  readonly contents: readonly JsonObject[];
}

/** Throws `UpstreamFailure` `invalid_request` for content that Gemini does not take. */
export function conversationOf(
  messages: readonly ChatMessage[],
  model: string,
  nested: NestedJson,
): Conversation {
  const system: JsonObject[] = [];
  const turns = new Turns(model, nested);
  for (const message of messages) {
    if (isOfSystem(message)) system.push(...geminiParts(message.content));
    else turns.add(message);
  }
  const contents = turns.contents();
  // Gemini requires contents. If there are only instructions, they are sent as the user's.
  if (contents.length === 0) {
    return { contents: [{ role: 'user', parts: system.length > 0 ? system : [PLACEHOLDER] }] };
  }
  const placeholder = [{ role: 'user', parts: [PLACEHOLDER] }];
  // What the system says last is no turn.
  const isSystemLast = isOfSystem(messages.at(-1)) && contents.at(-1)?.role === 'model';
  return {
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    contents: [
      ...(contents[0]?.role === 'user' ? [] : placeholder),
      ...contents,
      ...(isSystemLast ? placeholder : []),
    ],
  };
}

function isOfSystem(message: ChatMessage | undefined): boolean {
  return message?.role === 'system' || message?.role === 'developer';
}

interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: JsonObject[];
}

/** A call that a result may follow for. */
interface Called {
  readonly name: string;
  /** The position among all calls of the conversation. */
  readonly position: number;
}

/** Results of tools with the positions of their calls, and the media that came with them. */
interface Results {
  readonly answers: { readonly position: number; readonly part: JsonObject }[];
  readonly media: JsonObject[];
}

class Turns {
  readonly #needsSignatures: boolean;
  readonly #turns: (Turn | Results)[] = [];
  /** By id. If ids are reused, the latest call counts. */
  readonly #calls = new Map<string, Called>();
  readonly #nested: NestedJson;
  #called = 0;

  constructor(model: string, nested: NestedJson) {
    this.#nested = nested;
    this.#needsSignatures = (generationOf(model) ?? FIRST_WITH_SIGNATURES) >= FIRST_WITH_SIGNATURES;
  }

  add(message: ChatMessage): void {
    if (message.role === 'tool' || message.role === 'function') this.#addResult(message);
    else if (message.role === 'assistant') this.#addParts('model', this.#modelParts(message));
    else this.#addParts('user', geminiParts(message.content));
  }

  contents(): JsonObject[] {
    return this.#turns.map((turn) =>
      'role' in turn ? { ...turn } : { role: 'user', parts: partsOfResults(turn) },
    );
  }

  #addParts(role: Turn['role'], parts: readonly JsonObject[]): void {
    if (parts.length === 0) return;
    const last = this.#turns.at(-1);
    if (last !== undefined && 'role' in last && last.role === role) last.parts.push(...parts);
    else this.#turns.push({ role, parts: [...parts] });
  }

  #modelParts(message: ChatMessage): JsonObject[] {
    const signatures = signaturesIn(message);
    const calls = message.tool_calls ?? [];
    const textParts = signed(geminiParts(message.content), signatures.ofText);
    return [...textParts, ...calls.map((call, index) => this.#callPart(call, index === 0, signatures))];
  }

  /** Gemini takes arguments as an object. Other arguments are shown to the model as they are. */
  #callPart(call: ToolCall, isFirst: boolean, { ofCalls }: Signatures): JsonObject {
    const { id = '', function: called } = call;
    const name = called?.name ?? '';
    if (name.length > MAX_NAME_CHARACTERS) throw untranslatable('call of a tool with so long a name');
    const key = textKey(id);
    this.#calls.set(key, { name, position: this.#called });
    this.#called += 1;
    const isUnsigned = isFirst && this.#needsSignatures;
    const signedKey = plainCallId(id);
    const signature = ofCalls.get(signedKey) ?? (isUnsigned ? NO_SIGNATURE : undefined);
    ofCalls.delete(signedKey);
    return {
      functionCall: { name, args: argumentsOf(call, this.#nested) ?? { arguments: called?.arguments } },
      ...(signature !== undefined && { thoughtSignature: signature }),
    };
  }

  /** Vertex AI accepts no ids: results are matched to calls by their order. */
  #addResult(message: ChatMessage): void {
    const id = message.tool_call_id ?? '';
    const called = this.#calls.get(textKey(id));
    const name = called?.name ?? message.name ?? id;
    const parts = geminiParts(message.content);
    const response = responseOf(this.#nested.get(message) ?? resultText(message));
    const part = { functionResponse: { name, response } };
    const last = this.#turns.at(-1);
    const results: Results = last !== undefined && 'answers' in last ? last : { answers: [], media: [] };
    if (results !== last) this.#turns.push(results);
    results.answers.push({ position: called?.position ?? Number.POSITIVE_INFINITY, part });
    results.media.push(...parts.filter((one) => one.text === undefined));
  }
}

function signed(parts: JsonObject[], signature: string | undefined): JsonObject[] {
  const last = parts.at(-1);
  if (signature === undefined || last === undefined) return parts;
  return [...parts.slice(0, -1), { ...last, thoughtSignature: signature }];
}

/** A result that is a JSON object is sent as it is, any other result as `output`. */
function responseOf(result: unknown): JsonObject {
  return isObject(result) ? result : { output: result };
}

function partsOfResults({ answers, media }: Results): JsonObject[] {
  const inOrder = [...answers].sort((one, other) =>
    one.position < other.position ? -1 : Number(one.position > other.position),
  );
  return [...inOrder.map(({ part }) => part), ...media];
}
