import type { JsonObject } from '@bufbuild/protobuf';
import { RerankService } from '../../../gen/byway/v1/rerank_pb.js';
import { documentTexts, documentViolations } from '../../formats/rerank/documents.js';
import { readRerank } from '../../formats/rerank/reader.js';
import type { RerankBody } from '../../formats/rerank/types.js';
import { rerankAnswer } from '../../inference/rerank/answer.js';
import type { ServiceDefinition } from '../define-service.js';
import { type Answering, inferenceMethods } from '../inference-methods.js';
import { inferenceRequest } from '../inference-request.js';
import { defineOpenService } from '../open-methods.js';

export function rerankService(answering: Answering): ServiceDefinition {
  const { whole } = inferenceMethods(answering, {
    violations: documentViolations,
    read: (body, context) => ({
      request: inferenceRequest(readRerank(rerankBody(body)), context),
      format: rerankAnswer(documentTexts(body.documents)),
    }),
  });
  return defineOpenService(RerankService, { rerank: whole });
}

/** The contract's rules hold for the body by now, or are told of beside what is found here. */
function rerankBody(body: JsonObject): RerankBody {
  return body as unknown as RerankBody;
}
