import { create, type JsonObject, type Message } from '@bufbuild/protobuf';
import {
  CreateEmbeddingsResponseSchema,
  EmbeddingSchema,
  EmbeddingService,
  EmbeddingVectorSchema,
} from '../../../gen/byway/v1/embeddings_pb.js';
import { inputViolations } from '../../formats/embeddings/inputs.js';
import { readEmbeddings } from '../../formats/embeddings/reader.js';
import type { EmbeddingsBody, Vector } from '../../formats/embeddings/types.js';
import { embeddingsAnswer } from '../../inference/embeddings/answer.js';
import { base64Of, EmbeddingList, numbersOf } from '../../inference/embeddings/embedding-list.js';
import { messageFromJson } from '../../protobuf/message-from-json.js';
import type { ServiceDefinition } from '../define-service.js';
import { type Answering, inferenceMethods } from '../inference-methods.js';
import { inferenceRequest } from '../inference-request.js';
import { defineOpenService } from '../open-methods.js';

export function embeddingService(answering: Answering): ServiceDefinition {
  const { whole } = inferenceMethods(answering, {
    violations: ({ input }) => inputViolations(input),
    read: (body, context) => ({
      request: inferenceRequest(readEmbeddings(embeddingsBody(body)), context),
      format: embeddingsAnswer(body),
    }),
  });
  return defineOpenService(EmbeddingService, { createEmbeddings: { ...whole, message: messageOf } });
}

/** The contract's rules hold for the body by now, or are told of beside what is found here. */
function embeddingsBody(body: JsonObject): EmbeddingsBody {
  return body as unknown as EmbeddingsBody;
}

/** With packed floats, or base64. */
function messageOf(answer: object): Message {
  if (!(answer instanceof EmbeddingList)) throw new TypeError('no list of embeddings');
  const { head, vectors, encoding } = answer;
  const message = messageFromJson(CreateEmbeddingsResponseSchema, head);
  const form = encoding === 'base64' ? inBase64 : inFloats;
  const data = vectors.map((vector, index) =>
    create(EmbeddingSchema, {
      object: 'embedding',
      index,
      embedding: create(EmbeddingVectorSchema, { form: form(vector) }),
    }),
  );
  return Object.assign(message, { data });
}

function inBase64(vector: Vector) {
  return { case: 'base64', value: base64Of(vector) } as const;
}

function inFloats(vector: Vector) {
  return { case: 'floats', value: { values: Array.from(numbersOf(vector)) } } as const;
}
