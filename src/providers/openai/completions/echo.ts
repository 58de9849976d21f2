import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';

/** Takes the prompt off answers that begin with it where that was asked for: the provider has not produced it. */
export class Echo {
  readonly #prompt: string;
  /** What of the prompt each choice has still to repeat, by its index. */
  readonly #rest = new Map<unknown, string>();

  constructor({ echo, prompt }: JsonObject) {
    this.#prompt = echo === true && typeof prompt === 'string' ? prompt : '';
  }

  /** The answer, or the next chunk of it. */
  without(answer: JsonObject): JsonObject {
    if (this.#prompt === '') return answer;
    return { ...answer, choices: elements(answer.choices).map((choice) => this.#withoutPrompt(choice)) };
  }

  #withoutPrompt(choice: unknown): unknown {
    const { index, text } = members(choice);
    if (!isObject(choice) || typeof text !== 'string') return choice;
    const rest = this.#rest.get(index) ?? this.#prompt;
    const isEchoed = rest.startsWith(text);
    this.#rest.set(index, isEchoed ? rest.slice(text.length) : '');
    if (isEchoed) return { ...choice, text: '' };
    return text.startsWith(rest) ? { ...choice, text: text.slice(rest.length) } : choice;
  }
}
