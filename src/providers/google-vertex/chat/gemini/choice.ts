import { exactJson } from '../../../../base/json/json-body.js';
import { urlCitation } from '../../../../formats/chat/citation.js';
import type { ChunkDelta, JsonObject, ToolCall } from '../../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../../formats/json.js';
import {
  boundedElements,
  checkCount,
  MAX_ARGUMENTS_CHARACTERS,
  MAX_BLOCKS,
  MAX_CALLS,
} from '../../../common/answer-bounds.js';
import { signatureDetail } from '../../../common/gemini-signatures.js';

/** Gives tool calls their ids: on Vertex AI most have none. */
export type CallIds = (given: string | undefined) => string;

/** Reads the parts of one choice, which Google calls a candidate, as they arrive. */
export class ChoiceReader {
  readonly #callIds: CallIds;
  #calls = 0;
  #details = 0;
  #images = 0;
  readonly #cited = new Set<string>();
  isFinished = false;

  constructor(callIds: CallIds) {
    this.#callIds = callIds;
  }

  /** Whether the choice has called a tool, which its finish reason does not show. */
  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  /** What the parts add to the message; an empty delta if they add nothing. */
  read({ content, groundingMetadata }: JsonObject): ChunkDelta {
    const annotations = this.#annotationsIn(members(groundingMetadata));
    const parts = boundedElements(members(content).parts, MAX_BLOCKS).map(members);
    const thought = textIn(parts.filter((part) => part.thought === true));
    const visibleText = textIn(parts.filter((part) => part.thought !== true));
    const calls = new Map(parts.filter(isCall).map((part) => [part, this.#callOf(part)]));
    const details = parts.flatMap((part) => this.#detailOf(part, calls.get(part)) ?? []);
    const media = parts
      .map(({ inlineData }) => members(inlineData))
      .filter(({ data }) => textOf(data) !== undefined);
    const images = media.filter(({ mimeType }) => !isAudio(mimeType)).map((image) => this.#imageOf(image));
    const [audio] = media.filter(({ mimeType }) => isAudio(mimeType));
    return {
      ...(thought !== '' && { reasoning: thought }),
      ...(visibleText !== '' && { content: visibleText }),
      ...(calls.size > 0 && { tool_calls: [...calls.values()] }),
      ...(images.length > 0 && { images }),
      ...(audio !== undefined && { audio: { data: audio.data, format: audio.mimeType } }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(annotations.length > 0 && { annotations }),
    };
  }

  /** The pages that the answer is grounded on, each once: chunks of a stream may repeat them. */
  #annotationsIn({ groundingChunks }: JsonObject): JsonObject[] {
    return elements(groundingChunks).flatMap((chunk) => {
      const { uri, title } = members(members(chunk).web);
      const url = textOf(uri);
      if (url === undefined || this.#cited.has(url)) return [];
      this.#cited.add(url);
      checkCount(this.#cited.size, MAX_BLOCKS);
      return [urlCitation({ url, title })];
    });
  }

  /** Calls are never split. Their arguments are an object. */
  #callOf({ functionCall }: JsonObject): ToolCall {
    const { id, name, args } = members(functionCall);
    const index = this.#calls;
    this.#calls += 1;
    checkCount(this.#calls, MAX_CALLS);
    const given = exactJson(args ?? {});
    checkCount(given.length, MAX_ARGUMENTS_CHARACTERS);
    return {
      index,
      id: this.#callIds(textOf(id)),
      type: 'function',
      function: { name: textOf(name) ?? '', arguments: given },
    };
  }

  #detailOf({ thoughtSignature, thought }: JsonObject, call: ToolCall | undefined): JsonObject | undefined {
    const signature = textOf(thoughtSignature);
    if (signature === undefined || thought === true) return undefined;
    const detail = signatureDetail(signature, this.#details, call?.id ?? null);
    this.#details += 1;
    return detail;
  }

  #imageOf({ mimeType, data }: JsonObject): JsonObject {
    const index = this.#images;
    this.#images += 1;
    return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` }, index };
  }
}

function textIn(parts: readonly JsonObject[]): string {
  return parts.map(({ text }) => textOf(text) ?? '').join('');
}

function isCall({ functionCall }: JsonObject): boolean {
  return isObject(functionCall);
}

function isAudio(mimeType: unknown): boolean {
  return typeof mimeType === 'string' && mimeType.startsWith('audio/');
}
