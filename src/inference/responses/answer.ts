import type { JsonText } from '../../base/json/json-text.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type { MarkSigner } from '../../formats/marks.js';
import type { ResponseObject, ResponsesEvent } from '../../formats/responses/types.js';
import { responsesAnswer, unplacedIn } from '../../formats/responses/writing/answer.js';
import { givenBack } from '../../formats/responses/writing/given-back.js';
import type { ItemRules } from '../../formats/responses/writing/item-writer.js';
import { reasoningPartOf } from '../../formats/responses/writing/reasoning-part.js';
import { type ResponseHead, responseId } from '../../formats/responses/writing/response.js';
import { ResponsesEventWriter as EventWriter } from '../../formats/responses/writing/stream-writer.js';
import type { WritingRules } from '../../formats/responses/writing-rules.js';
import { CHAT_ANSWER } from '../chat/answer.js';
import type { Answered, AnswerFormat } from '../ports/answer-format.js';
import { NativeEventWriter } from './native-writer.js';
import { TranslatedEventWriter } from './translated-writer.js';
import { withCost } from './usage.js';

/** The parts of a request that its answer depends on. */
interface AnsweredRequest {
  readonly rules: WritingRules;
  /** Signs the marks of the answer; resolves to undefined if there is no key to sign with. */
  readonly signer: () => Promise<MarkSigner | undefined>;
}

/** Answers in the Responses format. A native answer is passed on except for its id, model and cost. */
export function responsesFormat({
  rules,
  signer,
}: AnsweredRequest): AnswerFormat<ResponseObject | JsonObject, ResponsesEvent | JsonText> {
  let marks: MarkSigner | undefined;
  const rulesFor = ({ attempt }: Answered): ItemRules => ({
    ...rules,
    signer: marks,
    reasoningPart: reasoningPartOf(attempt.endpoint.modelId),
  });
  const headOf = ({ id, created, model }: Answered): ResponseHead => {
    return { id, created, model, given: givenBack(rules.body) };
  };
  /** What of a native response is not the host's; it may have been told another key of a cache. */
  const ownMembers = ({ id, model }: Answered, { prompt_cache_key }: JsonObject): JsonObject => ({
    id: responseId(id),
    model,
    ...(prompt_cache_key !== undefined && { prompt_cache_key: rules.body.prompt_cache_key ?? null }),
  });
  return {
    async prepare({ lane }) {
      if (lane === 'translated' && rules.carriesReasoning) marks = await signer();
    },
    omittedOf: (answered, result) =>
      result.format === 'chat' ? unplacedIn(result.choices[0], answered.id, rulesFor(answered)) : [],
    whole(answered, result, usage) {
      if (result.format === 'chat') {
        const chat = CHAT_ANSWER.whole(answered, result, usage);
        return responsesAnswer(chat, headOf(answered), rulesFor(answered), secondsOf(answered));
      }
      return {
        ...result.native,
        ...ownMembers(answered, result.native),
        usage: withCost(result.native.usage, usage),
      };
    },
    writer(answered, streamUsage) {
      if (answered.lane === 'native')
        return new NativeEventWriter((response) => ownMembers(answered, response));
      return new TranslatedEventWriter({
        chunks: CHAT_ANSWER.writer(answered, streamUsage),
        events: new EventWriter(headOf(answered), rulesFor(answered)),
        now: () => secondsOf(answered),
      });
    },
  };
}

function secondsOf({ clock }: Answered): number {
  return Math.floor(clock.now() / 1000);
}
