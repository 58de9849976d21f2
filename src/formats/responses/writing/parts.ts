/** The parts of messages and reasoning, and the events about them. */
import type { JsonObject } from '../../json.js';
import type { MessagePart, ReasoningText, SummaryText } from '../types.js';
import type { ItemEvents } from './item-events.js';

export type Part = MessagePart | ReasoningText | SummaryText;

export type PartType = Part['type'];

/** Words for the events about one type of parts. */
export interface PartWords {
  /** The member that counts parts of the type, among those of the same list. */
  readonly index: 'content_index' | 'summary_index';
  readonly text: 'text' | 'refusal';
  /** Events about the text are this and `.delta` or `.done`. */
  readonly textEvent: string;
  /** Events about the part are this and `.added` or `.done`. */
  readonly partEvent: string;
  readonly hasLogprobs: boolean;
}

export const PARTS: Readonly<Record<PartType, PartWords>> = {
  output_text: {
    index: 'content_index',
    text: 'text',
    textEvent: 'response.output_text',
    partEvent: 'response.content_part',
    hasLogprobs: true,
  },
  refusal: {
    index: 'content_index',
    text: 'refusal',
    textEvent: 'response.refusal',
    partEvent: 'response.content_part',
    hasLogprobs: false,
  },
  reasoning_text: {
    index: 'content_index',
    text: 'text',
    textEvent: 'response.reasoning_text',
    partEvent: 'response.content_part',
    hasLogprobs: false,
  },
  summary_text: {
    index: 'summary_index',
    text: 'text',
    textEvent: 'response.reasoning_summary_text',
    partEvent: 'response.reasoning_summary_part',
    hasLogprobs: false,
  },
};

/** A part as it grows. */
export class GrowingPart {
  readonly type: PartType;
  /** Among the parts of the same list. */
  readonly index: number;
  readonly #annotations: JsonObject[] = [];
  readonly #logprobs: JsonObject[] = [];
  #text = '';
  /** What of the text has not been written. Cut from the whole, each piece would take as long as all before it. */
  #fresh = '';
  #isOpen = false;
  #isDone = false;
  /** What has been written, in counts. */
  #writtenLogprobs = 0;
  #writtenAnnotations = 0;

  constructor(type: PartType, index: number) {
    this.type = type;
    this.index = index;
  }

  add(text: string, logprobs: readonly JsonObject[] = []): void {
    this.#text += text;
    this.#fresh += text;
    this.#logprobs.push(...logprobs);
  }

  annotate(annotations: readonly JsonObject[]): void {
    this.#annotations.push(...annotations);
  }

  get part(): Part {
    return partOf(this.type, this.#text, this.#annotations, this.#logprobs);
  }

  /** Adds the events for what is new; `item_id` is the item's. With `isLast` the part is done. */
  write(about: ItemEvents, item_id: string, isLast: boolean): void {
    if (this.#isDone) return;
    const { index, textEvent, partEvent, hasLogprobs } = PARTS[this.type];
    const place = { item_id, output_index: about.index, [index]: this.index };
    if (!this.#isOpen) about.add(`${partEvent}.added`, { ...place, part: partOf(this.type, '', [], []) });
    this.#isOpen = true;
    const delta = this.#fresh;
    const logprobs = this.#logprobs.slice(this.#writtenLogprobs);
    this.#fresh = '';
    this.#writtenLogprobs = this.#logprobs.length;
    if (delta !== '' || logprobs.length > 0)
      about.add(`${textEvent}.delta`, { ...place, delta, ...(hasLogprobs && { logprobs }) });
    for (; this.#writtenAnnotations < this.#annotations.length; this.#writtenAnnotations++) {
      about.add(`${textEvent}.annotation.added`, {
        ...place,
        annotation_index: this.#writtenAnnotations,
        annotation: this.#annotations[this.#writtenAnnotations],
      });
    }
    if (!isLast) return;
    this.#isDone = true;
    for (const { type, ...members } of partEnd(this.part)) about.add(type, { ...place, ...members });
  }
}

/** The events that end a part, without where it stands. */
export function partEnd(part: Part): readonly [ending: PartEvent, done: PartEvent] {
  const { text, textEvent, partEvent, hasLogprobs } = PARTS[part.type];
  const written = text in part ? (part as Readonly<Record<string, unknown>>)[text] : '';
  const logprobs = 'logprobs' in part ? part.logprobs : [];
  return [
    { type: `${textEvent}.done`, [text]: written, ...(hasLogprobs && { logprobs }) },
    { type: `${partEvent}.done`, part },
  ];
}

interface PartEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

function partOf(
  type: PartType,
  text: string,
  annotations: readonly JsonObject[],
  logprobs: readonly JsonObject[],
): Part {
  switch (type) {
    case 'output_text':
      return { type, text, annotations: [...annotations], logprobs: [...logprobs] };
    case 'refusal':
      return { type, refusal: text };
    default:
      return { type, text };
  }
}
