import type { JsonObject } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { MessagesService } from '../../../gen/byway/v1/messages_pb.js';
import { exactText } from '../../base/json/exact-text.js';
import type { JsonText } from '../../base/json/json-text.js';
import { withoutOwn } from '../../formats/messages/native.js';
import { readMessages } from '../../formats/messages/reader.js';
import type { MessagesAnswer, MessagesBody, MessagesEvent } from '../../formats/messages/types.js';
import type { CountTokens } from '../../inference/counting/count-tokens.js';
import { messagesFormat } from '../../inference/messages/answer.js';
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

export interface MessagesParts extends Answering {
  readonly marks: MarkSigners;
  readonly countTokens: CountTokens;
}

export function messagesService({ countTokens, marks, ...answering }: MessagesParts): ServiceDefinition {
  const read = callReader(marks);
  const { whole, streamed } = inferenceMethods(answering, { read });
  return defineOpenService(MessagesService, {
    createMessage: whole,
    streamMessage: streamed,
    countTokens: {
      violations: inferenceViolations,
      call: async (body, context) => ({ input_tokens: await countTokens(read(body, context).request) }),
    },
  });
}

/** Integers beyond 2^53 may be in native answers, and in the arguments of calls. */
const SHOWN: ShownAnswer<MessagesAnswer | JsonObject, MessagesEvent | JsonText> = {
  whole: (answer) => exactText(answer, [answer.content]),
  pieces: (events) => events,
};

function callReader(marks: MarkSigners) {
  return (json: JsonObject, context: HandlerContext) => {
    const body = messagesBody(json);
    const read = readMessages(body);
    const { chat, rules } = read;
    const sent = { format: 'messages', body: withoutOwn(body), read } as const;
    const { request, signer } = nativeInferenceRequest(sent, { marks, context });
    const { requestId } = request;
    return { request, format: messagesFormat({ chat, rules, requestId, signer }), shown: SHOWN };
  };
}

/** The contract's rules hold for the body by now, or are told of beside what is found here. */
function messagesBody(body: JsonObject): MessagesBody {
  return body as unknown as MessagesBody;
}
