import type { JsonObject } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { ResponsesService } from '../../../gen/byway/v1/responses_pb.js';
import { exactText } from '../../base/json/exact-text.js';
import type { JsonText } from '../../base/json/json-text.js';
import { withoutOwn } from '../../formats/responses/native.js';
import { readResponses } from '../../formats/responses/reader.js';
import { statelessViolations } from '../../formats/responses/stateless.js';
import type { ResponseObject, ResponsesBody, ResponsesEvent } from '../../formats/responses/types.js';
import type { CountTokens } from '../../inference/counting/count-tokens.js';
import { responsesFormat } from '../../inference/responses/answer.js';
import type { ServiceDefinition } from '../define-service.js';
import {
  type Answering,
  inferenceMethods,
  inferenceViolations,
  type ShownAnswer,
} from '../inference-methods.js';
import type { MarkSigners } from '../mark-signers.js';
import { defineOpenService } from '../open-methods.js';
import { nativeInferenceRequest } from './native-inference-request.js';

export interface ResponsesParts extends Answering {
  readonly marks: MarkSigners;
  readonly countTokens: CountTokens;
}

export function responsesService({ countTokens, marks, ...answering }: ResponsesParts): ServiceDefinition {
  const read = callReader(marks);
  const { whole, streamed } = inferenceMethods(answering, { read, violations: statelessViolations });
  return defineOpenService(ResponsesService, {
    createResponse: whole,
    streamResponse: streamed,
    countInputTokens: {
      violations: (body) => [...inferenceViolations(body), ...statelessViolations(body)],
      call: async (body, context) => ({
        object: 'response.input_tokens',
        input_tokens: await countTokens(read(body, context).request),
      }),
    },
  });
}

/** Integers beyond 2^53 may be in native answers, and in what is given back of the request. */
const SHOWN: ShownAnswer<ResponseObject | JsonObject, ResponsesEvent | JsonText> = {
  whole: (answer) => exactText(answer, [answer.output, answer.tools, answer.text]),
  pieces: (events) =>
    events.map((event) => ('response' in event ? exactText(event, [event.response]) : event)),
};

function callReader(marks: MarkSigners) {
  return (json: JsonObject, context: HandlerContext) => {
    const body = responsesBody(json);
    const read = readResponses(body);
    const sent = { format: 'responses', body: withoutOwn(body), read } as const;
    const { request, signer } = nativeInferenceRequest(sent, { marks, context });
    return { request, format: responsesFormat({ rules: read.rules, signer }), shown: SHOWN };
  };
}

/** The contract's rules hold for the body by now, or are told of beside what is found here. */
function responsesBody(body: JsonObject): ResponsesBody {
  return body as unknown as ResponsesBody;
}
