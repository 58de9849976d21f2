import type { JsonObject } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { MessagesService } from '../../../gen/byway/v1/messages_pb.js';
import { ownSizeViolations } from '../../formats/answer-size.js';
import { hostWorkViolations } from '../../formats/host-work.js';
import { withoutOwn } from '../../formats/messages/native.js';
import { readMessages } from '../../formats/messages/reader.js';
import type { MessagesBody } from '../../formats/messages/types.js';
import type { Inference } from '../../inference/inference.js';
import { messagesFormat } from '../../inference/messages/answer.js';
import type { CountTokens } from '../../inference/messages/count-tokens.js';
import { routeViolations } from '../../routing/plan/preferences.js';
import type { OpenMethod, ServiceDefinition } from '../define-service.js';
import { answerStream, GENERATION_ID, inferenceRequest, type StreamMeter } from '../inference-request.js';
import { messagesDemand } from '../messages/messages-demand.js';
import { defineOpenService } from '../open-methods.js';

export interface MessagesParts {
  readonly inference: Inference;
  readonly countTokens: CountTokens;
  readonly meter: StreamMeter;
}

export function messagesService({ inference, countTokens, meter }: MessagesParts): ServiceDefinition {
  return defineOpenService(MessagesService, {
    createMessage: {
      violations,
      async call(body, context) {
        let generationId = '';
        const onAdmitted = (id: string) => {
          generationId = id;
        };
        const { request, format } = callOf(body, context);
        const answer = await inference.complete({ request, format, onAdmitted });
        context.responseHeader.set(GENERATION_ID, generationId);
        return answer;
      },
    },
    streamMessage: {
      violations,
      call(body, context) {
        const { request, format } = callOf(body, context);
        return answerStream(
          context,
          meter,
          (onAdmitted) => inference.stream({ request, format, onAdmitted }),
          (events) => events,
        );
      },
    },
    countTokens: {
      violations,
      call: async (body, context) => ({ input_tokens: await countTokens(callOf(body, context).request) }),
    },
  });
}

const violations: OpenMethod['violations'] = (body) => [
  ...routeViolations(messagesBody(body)),
  ...ownSizeViolations(body),
  ...hostWorkViolations(body),
];

/** Names the version of Anthropic's API that a client is made for. */
const ANTHROPIC_VERSION = 'anthropic-version';
const VERSION = /^[\w.-]{1,40}$/;

function callOf(json: JsonObject, context: HandlerContext) {
  const body = messagesBody(json);
  const read = readMessages(body);
  const { chat, omitted, rules } = read;
  const version = context.requestHeader.get(ANTHROPIC_VERSION) ?? '';
  const { format, nativeOnly } = messagesDemand(read);
  const isNamed = VERSION.test(version);
  const native = { format, nativeOnly, body: withoutOwn(body), omitted, ...(isNamed && { version }) };
  const request = inferenceRequest(chat, context, native);
  return { request, format: messagesFormat({ chat, rules, requestId: request.requestId }) };
}

/** The contract's rules hold for the body by now, or are told of beside what is found here. */
function messagesBody(body: JsonObject): MessagesBody {
  return body as unknown as MessagesBody;
}
