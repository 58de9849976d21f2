/** The conversation in Gemini's format: turns of user and model, with tool results right after their calls. */
import type { ChatMessage, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { isObject, parseJson, textOf } from '../../../formats/json.js';
import { generationOf } from './generation.js';
import { partsOf } from './parts.js';
import { type Signatures, signaturesIn } from './signatures.js';

/** The first generation that refuses calls of the current turn without a signature. */
const FIRST_WITH_SIGNATURES = 3;

/** Google's placeholder for calls that another model made, or whose signature the client dropped. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

export interface Conversation {
  readonly systemInstruction?: { readonly parts: readonly JsonObject[] };
  readonly contents: readonly JsonObject[];
}

/** Throws `UpstreamFailure` `invalid_request` for content that Gemini does not take. */
export function conversationOf(messages: readonly ChatMessage[], model: string): Conversation {
  const system: JsonObject[] = [];
  const turns = new Turns(model);
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') system.push(...partsOf(message.content));
    else turns.add(message);
  }
  const contents = turns.contents();
  // Gemini requires contents: instructions alone are sent as the user's.
  if (contents.length === 0) return { contents: [{ role: 'user', parts: system }] };
  return { ...(system.length > 0 && { systemInstruction: { parts: system } }), contents };
}

interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: JsonObject[];
}

/** A call whose result may follow. */
interface Called {
  readonly name: string;
  /** Among all calls of the conversation. */
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
  /** By id; where ids are reused the latest call counts. */
  readonly #calls = new Map<string, Called>();
  #called = 0;

  constructor(model: string) {
    this.#needsSignatures = (generationOf(model) ?? FIRST_WITH_SIGNATURES) >= FIRST_WITH_SIGNATURES;
  }

  add(message: ChatMessage): void {
    if (message.role === 'tool' || message.role === 'function') this.#addResult(message);
    else if (message.role === 'assistant') this.#addParts('model', this.#modelParts(message));
    else this.#addParts('user', partsOf(message.content));
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
    const textParts = signed(partsOf(message.content), signatures.ofText);
    return [...textParts, ...calls.map((call, index) => this.#callPart(call, index === 0, signatures))];
  }

  #callPart(call: ToolCall, isFirst: boolean, { ofCalls }: Signatures): JsonObject {
    const { id = '', function: called } = call;
    const name = called?.name ?? '';
    this.#calls.set(id, { name, position: this.#called });
    this.#called += 1;
    const isUnsigned = isFirst && ofCalls.size === 0 && this.#needsSignatures;
    const signature = ofCalls.get(id) ?? (isUnsigned ? NO_SIGNATURE : undefined);
    const given = parseJson(called?.arguments ?? '');
    return {
      functionCall: { name, args: isObject(given) ? given : {} },
      ...(signature !== undefined && { thoughtSignature: signature }),
    };
  }

  /** Vertex AI takes no ids: results are matched to calls by their order. */
  #addResult(message: ChatMessage): void {
    const id = message.tool_call_id ?? '';
    const called = this.#calls.get(id);
    const name = called?.name ?? message.name ?? id;
    const parts = partsOf(message.content);
    const text = parts.map((part) => textOf(part.text) ?? '').join('');
    const part = { functionResponse: { name, response: responseOf(text) } };
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

/** A result that is a JSON object is sent as it is, any other as `output`. */
function responseOf(text: string): JsonObject {
  const value = parseJson(text);
  return isObject(value) ? value : { output: value ?? text };
}

function partsOfResults({ answers, media }: Results): JsonObject[] {
  const inOrder = [...answers].sort((one, other) =>
    one.position < other.position ? -1 : Number(one.position > other.position),
  );
  return [...inOrder.map(({ part }) => part), ...media];
}
