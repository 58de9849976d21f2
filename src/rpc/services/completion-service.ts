import type { JsonObject } from '@bufbuild/protobuf';
import { CompletionService } from '../../../gen/byway/v1/completions_pb.js';
import { readCompletion } from '../../formats/completions/reader.js';
import type { CompletionBody } from '../../formats/completions/types.js';
import { COMPLETION_ANSWER } from '../../inference/completions/answer.js';
import type { ServiceDefinition } from '../define-service.js';
import { type Answering, inferenceMethods } from '../inference-methods.js';
import { inferenceRequest } from '../inference-request.js';
import { defineOpenService } from '../open-methods.js';

export function completionService(answering: Answering): ServiceDefinition {
  const { whole, streamed } = inferenceMethods(answering, {
    read: (body, context) => ({
      request: inferenceRequest(readCompletion(completionBody(body)), context),
      format: COMPLETION_ANSWER,
    }),
  });
  return defineOpenService(CompletionService, { createCompletion: whole, streamCompletion: streamed });
}

/** The contract's rules hold for the body by now, or are told of beside what is found here. */
function completionBody(body: JsonObject): CompletionBody {
  return body as unknown as CompletionBody;
}
