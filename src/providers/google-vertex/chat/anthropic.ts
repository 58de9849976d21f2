import { betasIn } from '../../../formats/messages/headers.js';
import { readAnswer } from '../../anthropic/chat/answer.js';
import { claudeContract } from '../../anthropic/chat/contract.js';
import { EventReader } from '../../anthropic/chat/events.js';
import { betasOf } from '../../anthropic/chat/host-members.js';
import { MESSAGES_MAPPING } from '../../anthropic/chat/member-mapping.js';
import { reportEdited } from '../../anthropic/chat/provider-blocks.js';
import { messagesBody } from '../../anthropic/chat/request.js';
import { fitMade } from '../../anthropic/host/fit.js';
import { betaHeader } from '../../anthropic/host/headers.js';
import { betasAtHost } from '../../anthropic/messages/host-betas.js';
import { reportAdapted } from '../../common/adapted.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { readArguments } from '../../common/nested-json.js';
import { BETAS } from '../host/betas.js';
import { contractAtVertex } from '../host/messages-contract.js';
import { claudeResource } from '../host/publisher.js';
import type { PublisherFormat } from '../host/publisher-format.js';
import { ANTHROPIC_VERSION } from '../host/version.js';

/** Anthropic's models: the Messages API, with Vertex AI's additions. */
export const anthropic: PublisherFormat = {
  takesUrls: false,
  contract: (_, model) => claudeContract(model),
  resource: claudeResource,
  readNested: readArguments,
  body(call, model, isStreamed) {
    const { body, reasoning, endpoint, nested } = call;
    const named = { ...endpoint, upstreamModelId: model };
    const { service_tier, ...messages } = messagesBody(body, reasoning, named, nested);
    reportAdapted(call, MESSAGES_MAPPING, messages);
    reportEdited(call);
    const betas = betasAtHost(BETAS, betasOf(body, betasIn(call.apiHeaders)), body);
    const provider = call.provider ?? { name: endpoint.provider };
    const fitted = fitMade(messages, { ...call, provider }, contractAtVertex(named), betas);
    return { ...fitted, anthropic_version: ANTHROPIC_VERSION, ...(isStreamed && { stream: true }) };
  },
  headers: ({ body, apiHeaders }) => betaHeader(betasAtHost(BETAS, betasOf(body, betasIn(apiHeaders)), body)),
  readAnswer: (answer, call) => readAnswer(answer, new AnswerCallIds(call?.body.messages)),
  createReader: ({ body }) => new EventReader(new AnswerCallIds(body.messages)),
};
