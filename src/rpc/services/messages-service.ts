import type { JsonObject } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { MessagesService } from '../../../gen/byway/v1/messages_pb.js';
import { exactText } from '../../base/json/exact-text.js';
import { runInSlices } from '../../base/time-slices.js';
import { ownSizeViolations } from '../../formats/answer-size.js';
import { hostWorkViolations } from '../../formats/host-work.js';
import type { MarkSigner } from '../../formats/marks.js';
import { withoutOwn } from '../../formats/messages/native.js';
import { readMessages } from '../../formats/messages/reader.js';
import { openThoughts } from '../../formats/messages/sealed-thoughts.js';
import type { MessagesBody } from '../../formats/messages/types.js';
import type { Inference } from '../../inference/inference.js';
import { messagesFormat } from '../../inference/messages/answer.js';
import type { CountTokens } from '../../inference/messages/count-tokens.js';
import { routeViolations } from '../../routing/plan/preferences.js';
import type { OpenMethod, ServiceDefinition } from '../define-service.js';
import {
  answerStream,
  GENERATION_ID,
  inferenceRequest,
  type StreamMeter,
  tellAdapted,
} from '../inference-request.js';
import { messagesDemand } from '../messages/messages-demand.js';
import { defineOpenService } from '../open-methods.js';

export interface MessagesParts {
  readonly marks: MarkSigners;
  readonly inference: Inference;
  readonly countTokens: CountTokens;
  readonly meter: StreamMeter;
}

export function messagesService({ inference, countTokens, meter, marks }: MessagesParts): ServiceDefinition {
  const callOf = callReader(marks);
  return defineOpenService(MessagesService, {
    createMessage: {
      violations,
      async call(body, context) {
        let generationId = '';
        const onAdmitted = (id: string) => {
          generationId = id;
        };
        const { request, format } = callOf(body, context);
        const onServed = (adapted: readonly string[]) => tellAdapted(context, adapted);
        const answer = await inference.complete({ request, format, onAdmitted, onServed });
        context.responseHeader.set(GENERATION_ID, generationId);
        return exactText(answer, [answer.content]);
      },
    },
    streamMessage: {
      violations,
      call(body, context) {
        const { request, format } = callOf(body, context);
        return answerStream(
          context,
          meter,
          (told) => inference.stream({ request, format, ...told }),
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

/** Signs and reads the marks of accounts. An account's key is looked up only where there are marks. */
export interface MarkSigners {
  /** undefined where the account's key can't be had now. Never rejects. */
  signerOf(accountId: string): Promise<MarkSigner | undefined>;
}

function callReader(marks: MarkSigners) {
  return (json: JsonObject, context: HandlerContext) => {
    const body = messagesBody(json);
    const read = readMessages(body);
    const { chat, sealed, omitted, rules } = read;
    const { format, nativeOnly } = messagesDemand(read);
    const signer = () => marks.signerOf(request.caller.accountId);
    const open = async () => runInSlices(openThoughts(chat, sealed, await signer()));
    const native = {
      ...{ format, chat, nativeOnly, body: withoutOwn(body), omitted },
      ...(sealed.size > 0 && { open }),
    };
    const request = inferenceRequest(native, context);
    const { requestId } = request;
    return { request, format: messagesFormat({ chat, rules, requestId, signer }) };
  };
}

/** The contract's rules hold for the body by now, or are told of beside what is found here. */
function messagesBody(body: JsonObject): MessagesBody {
  return body as unknown as MessagesBody;
}
