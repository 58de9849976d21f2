import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { readNothing } from '../../common/nested-json.js';
import { readAnswer } from '../../openai/chat/answer.js';
import { ANY_HOST, type AnswerRules, answerRulesOf } from '../../openai/chat/answer-rules.js';
import { ChunkReader } from '../../openai/chat/events.js';
import { quirksOf } from '../../openai/chat/quirks.js';
import { requestBody } from '../../openai/chat/request.js';
import type { AnsweredCall, PublisherFormat } from '../host/publisher-format.js';

/** Known by this slug, whatever the operator calls it. */
const VERTEX = { slug: 'google-vertex' };

/** Models of all other publishers: OpenAI's format, with `publisher/model` in the body. */
export const openapi: PublisherFormat = {
  takesUrls: true,
  resource: () => ({ path: 'endpoints/openapi/chat/completions' }),
  readNested: readNothing,
  body: (call, model, isStreamed) => ({
    ...requestBody(call, quirksOf(call.endpoint, VERTEX, ''), isStreamed),
    model,
  }),
  readAnswer: (answer, call) => readAnswer(answer, rulesOf(call), new AnswerCallIds(call?.body.messages)),
  createReader: (call) => new ChunkReader(rulesOf(call), new AnswerCallIds(call.body.messages), call.body.n),
};

function rulesOf(call: AnsweredCall | undefined): AnswerRules {
  return call === undefined ? ANY_HOST : answerRulesOf(call.endpoint, VERTEX, '');
}
