import type { JsonObject } from '../../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../../formats/json.js';
import type { UpstreamUsage } from '../../../../inference/ports/adapter.js';
import { countOf } from '../../../common/counts.js';
import { SearchCount } from './search-count.js';

type Counts = { -readonly [K in keyof UpstreamUsage]: UpstreamUsage[K] };

/** Collects an answer's usage, which is reported once, or in snapshots that may each be incomplete. */
export class GeminiUsage {
  readonly #counts = new Map<string, number>();
  readonly #searches = new SearchCount();

  /** All that is known after this answer or chunk; undefined if it reports nothing. */
  take(answer: JsonObject): UpstreamUsage | undefined {
    this.#searches.take(answer);
    const { usageMetadata } = answer;
    if (!isObject(usageMetadata)) return undefined;
    for (const name of TOTALS) this.#raise(name, usageMetadata[name]);
    for (const name of DETAILS) {
      for (const { modality, tokenCount } of elements(usageMetadata[name]).map(members)) {
        if (modality === 'AUDIO' || modality === 'IMAGE') this.#raise(`${name}.${modality}`, tokenCount);
      }
    }
    return this.#counts.size === 0 ? undefined : this.#read();
  }

  /** Counts only grow, although some snapshots fall back to 0. A count that was impossible stays so. */
  #raise(name: string, value: unknown): void {
    const count = countOf(value);
    if (count !== undefined) this.#counts.set(name, Math.max(count, this.#counts.get(name) ?? 0));
  }

  #read(): UpstreamUsage {
    const count = (name: string) => this.#counts.get(name);
    const counts: Counts = {};
    put(counts, 'promptTokens', sum(count('promptTokenCount'), count('toolUsePromptTokenCount')));
    put(counts, 'cachedTokens', count('cachedContentTokenCount'));
    put(counts, 'audioTokens', count('promptTokensDetails.AUDIO'));
    put(counts, 'cachedAudioTokens', count('cacheTokensDetails.AUDIO'));
    put(counts, 'imageTokens', count('promptTokensDetails.IMAGE'));
    put(counts, 'completionTokens', this.#completionTokens());
    put(counts, 'reasoningTokens', count('thoughtsTokenCount'));
    put(counts, 'completionAudioTokens', count('candidatesTokensDetails.AUDIO'));
    put(counts, 'imageOutputTokens', count('candidatesTokensDetails.IMAGE'));
    put(counts, 'webSearches', this.#searches.billed);
    return counts;
  }

  /** Thoughts are counted in addition to the candidates' tokens, unless the total shows that they are included. */
  #completionTokens(): number | undefined {
    const candidateTokens = this.#counts.get('candidatesTokenCount');
    const thought = this.#counts.get('thoughtsTokenCount');
    const prompt = sum(this.#counts.get('promptTokenCount'), this.#counts.get('toolUsePromptTokenCount'));
    const isInside =
      candidateTokens !== undefined && this.#counts.get('totalTokenCount') === sum(prompt, candidateTokens);
    return isInside ? candidateTokens : sum(candidateTokens, thought);
  }
}

const TOTALS = [
  'promptTokenCount',
  'toolUsePromptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
] as const;

const DETAILS = ['promptTokensDetails', 'cacheTokensDetails', 'candidatesTokensDetails'] as const;

/** undefined if both are. */
function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}

function put(counts: Counts, name: keyof Counts, value: number | undefined): void {
  if (value !== undefined) counts[name] = value;
}
