import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { readNothing } from '../../common/nested-json.js';
import { readAnswer } from '../../openai/chat/answer.js';
import { ANY_HOST, type AnswerRules } from '../../openai/chat/answer-rules.js';
import { ChunkReader } from '../../openai/chat/events.js';
import { requestBody } from '../../openai/chat/request.js';
import { rulesOf } from '../../openai/chat/rules.js';
import type { AnsweredCall, PublisherFormat } from '../host/publisher-format.js';

/** The quirks are always those of this slug, whatever name the operator gives the provider. */
const VERTEX = { slug: 'google-vertex' };

/** Models of all other publishers: OpenAI's format, with `publisher/model` in the body. */
export const openapi: PublisherFormat = {
  takesUrls: true,
  contract: (endpoint) => rulesOf(endpoint, VERTEX, '').contract,
  resource: () => ({ path: 'endpoints/openapi/chat/completions' }),
  readNested: readNothing,
  body: (call, model, isStreamed) => ({
    ...requestBody(call, rulesOf(call.endpoint, VERTEX, '').quirks, isStreamed),
    model,
  }),
  readAnswer: (answer, call) =>
    readAnswer(answer, answerRulesOf(call), new AnswerCallIds(call?.body.messages)),
  createReader: (call) =>
    new ChunkReader(answerRulesOf(call), new AnswerCallIds(call.body.messages), call.body),
};

function answerRulesOf(call: AnsweredCall | undefined): AnswerRules {
  return call === undefined ? ANY_HOST : rulesOf(call.endpoint, VERTEX, '').answers;
}
