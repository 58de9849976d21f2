/** The content blocks of an answer, as they grow. */
import { joinDetail, REASONING_FORMAT } from '../../chat/reasoning-details.js';
import type { JsonObject } from '../../chat/types.js';
import { textOf } from '../../json.js';
import { JsonEnd } from '../../json-end.js';
import { EMPTY_MARK, MAX_MARK_CHARACTERS, markOf } from '../../marks.js';
import type { ContentBlock } from '../types.js';
import type { WritingRules } from '../writing-rules.js';

/** A block that is written as it grows. */
export interface GrowingBlock {
  /** Whether the block is final as soon as another block has begun. */
  readonly isComplete: boolean;
  /** The block as it begins. undefined while that is unknown, and for a block that ends without having begun. */
  start(isEnding: boolean): ContentBlock | undefined;
  /** What was added since the last call. What only the complete block knows is added at its end. */
  deltas(isEnding: boolean): ContentBlock[];
}

export class TextBlock implements GrowingBlock {
  readonly isComplete = true;
  #news = '';

  add(text: string): void {
    this.#news += text;
  }

  start(): ContentBlock {
    return { type: 'text', text: '' };
  }

  deltas(): ContentBlock[] {
    const text = this.#news;
    this.#news = '';
    return text === '' ? [] : [{ type: 'text_delta', text }];
  }
}

/** Characters that Anthropic's own models do not take back in ids. */
const NO_ID_CHARACTER = /[^a-zA-Z0-9_-]/g;

/** The id of a call in a form that every host takes. The client sends it back as it is. */
function toolUseId(id: string): string {
  return id.replaceAll(NO_ID_CHARACTER, '_');
}

export class CallBlock implements GrowingBlock {
  readonly #id: string;
  readonly #end = new JsonEnd();
  #name: string | undefined;
  #news = '';

  constructor(id: string) {
    this.#id = id;
  }

  get isComplete(): boolean {
    return this.#end.isReached;
  }

  add(name: string | undefined, pieceOfArguments: string | undefined): void {
    this.#name ??= name;
    if (pieceOfArguments === undefined) return;
    this.#end.read(pieceOfArguments);
    this.#news += pieceOfArguments;
  }

  start(isEnding: boolean): ContentBlock | undefined {
    if (this.#name === undefined && !isEnding) return undefined;
    return { type: 'tool_use', id: toolUseId(this.#id), name: this.#name ?? '', input: {} };
  }

  deltas(): ContentBlock[] {
    const partial_json = this.#news;
    this.#news = '';
    return partial_json === '' ? [] : [{ type: 'input_json_delta', partial_json }];
  }
}

/**
 * A thought: Anthropic's own with its signature, or another model's, whose signature is a mark with the details that
 * the model needs back. A thought without text is written as `redacted_thinking`.
 */
export class ThoughtBlock implements GrowingBlock {
  readonly isComplete = true;
  readonly #rules: Pick<WritingRules, 'showsThoughts' | 'signer'>;
  /** Details of another model. They are dropped once a mark could not carry them. */
  readonly #details: JsonObject[] = [];
  #detailCharacters = 0;
  #text = '';
  #news = '';
  #signature: string | undefined;
  #redacted: string | undefined;
  #index: unknown;
  /** The mark for everything so far. It is made once, since serializing and signing take time. */
  #mark: string | undefined;

  constructor(rules: Pick<WritingRules, 'showsThoughts' | 'signer'>) {
    this.#rules = rules;
  }

  /** Whether details that the model needs back are lost because no mark could carry them. */
  get isForgotten(): boolean {
    return !this.#isOfClaude && this.#carried.length > 0 && this.#markNow() === EMPTY_MARK;
  }

  /** Whether the detail belongs to this thought. A signature ends a thought of Anthropic's. */
  takes({ type, format, index }: JsonObject): boolean {
    if (format !== REASONING_FORMAT.anthropic) return this.#index === undefined;
    const isFresh = this.#text === '' && this.#details.length === 0;
    return type === 'reasoning.text' && (isFresh || (this.#index === index && this.#signature === undefined));
  }

  addText(text: string): void {
    this.#mark = undefined;
    this.#text += text;
    this.#news += text;
  }

  addDetail(detail: JsonObject): void {
    this.#mark = undefined;
    if (detail.format !== REASONING_FORMAT.anthropic) {
      if (this.#detailCharacters > MAX_MARK_CHARACTERS) return;
      this.#detailCharacters += joinDetail(this.#details, detail);
      return;
    }
    this.#index = detail.index ?? 0;
    if (detail.type === 'reasoning.encrypted') this.#redacted = textOf(detail.data) ?? '';
    else this.#signature = textOf(detail.signature) ?? this.#signature;
  }

  start(isEnding: boolean): ContentBlock | undefined {
    if (this.#text !== '' || this.#signature !== undefined) {
      return { type: 'thinking', thinking: '', signature: '' };
    }
    return isEnding ? { type: 'redacted_thinking', data: this.#redacted ?? this.#markNow() } : undefined;
  }

  deltas(isEnding: boolean): ContentBlock[] {
    const thinking = this.#rules.showsThoughts ? this.#news : '';
    this.#news = '';
    const isSigned = isEnding && (this.#text !== '' || this.#signature !== undefined);
    return [
      ...(thinking === '' ? [] : [{ type: 'thinking_delta', thinking }]),
      ...(isSigned ? [{ type: 'signature_delta', signature: this.#signature ?? this.#markNow() }] : []),
    ];
  }

  get #isOfClaude(): boolean {
    return this.#signature !== undefined || this.#redacted !== undefined;
  }

  /** The details that the model needs back, with the text if the client is not shown it. */
  get #carried(): readonly JsonObject[] {
    if (this.#rules.showsThoughts || this.#text === '') return this.#details;
    return [
      { type: 'reasoning.text', text: this.#text, format: REASONING_FORMAT.unsigned },
      ...this.#details,
    ];
  }

  #markNow(): string {
    this.#mark ??= this.#made();
    return this.#mark;
  }

  #made(): string {
    const { signer } = this.#rules;
    const characters = this.#detailCharacters + (this.#rules.showsThoughts ? 0 : this.#text.length);
    if (signer === undefined || characters > MAX_MARK_CHARACTERS) return EMPTY_MARK;
    return markOf(this.#carried, signer) ?? EMPTY_MARK;
  }
}
