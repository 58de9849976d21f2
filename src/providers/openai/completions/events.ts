/** Streamed text completions. */
import { JsonText } from '../../../base/json/json-text.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import type { NativeEvent, NormalizedEvent } from '../../../inference/ports/adapter.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import type { AnswerRules } from '../chat/answer-rules.js';
import { ChunkReader } from '../chat/events.js';
import { withTexts } from './answer.js';
import { Echo } from './echo.js';

/** Reads the chunks of one stream, each with its meaning in terms of a chat. */
export class CompletionReader {
  readonly #chunks: ChunkReader;
  readonly #echo: Echo;
  readonly #rules: AnswerRules;

  constructor(request: JsonObject, rules: AnswerRules) {
    this.#chunks = new ChunkReader(rules, new AnswerCallIds(), request);
    this.#echo = new Echo(request);
    this.#rules = rules;
  }

  /** `text` is the JSON of the chunk. Throws `UpstreamFailure` `malformed` for more than an answer may have. */
  read(chunk: JsonObject, text: string): NativeEvent {
    const passed = withTexts(chunk, this.#rules);
    const normalized = this.#chunks.read(this.#echo.without(passed));
    const isAsItCame = passed === chunk && !text.includes('\n');
    return {
      type: 'native',
      event: isAsItCame ? new JsonText(text, chunk) : JsonText.of(passed),
      normalized,
    };
  }

  /** What the host's word that the stream is done tells. */
  done(): readonly NormalizedEvent[] {
    return this.#chunks.done();
  }
}
