import type { HandlerContext } from '@connectrpc/connect';
import {
  type BatchRequest,
  BatchService,
  type CreateBatchRequest,
  StreamBatchResultsResponseSchema,
} from '../../../gen/byway/v1/batches_pb.js';
import { ChatRequestSchema } from '../../../gen/byway/v1/chat_pb.js';
import { mapLazily } from '../../base/json/lazy-list.js';
import type { Batches } from '../../batch/batches.js';
import type { SentRequest } from '../../batch/staging.js';
import type { NewBatch } from '../../batch/submission.js';
import { messageFromJson } from '../../protobuf/message-from-json.js';
import { writeMessage } from '../../protobuf/write.js';
import { admitted, callerOf, managerOf } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { batchMessage, resultJson } from '../messages/batch-message.js';
import { pageOf } from '../messages/page.js';

export function batchService(batches: Batches): ServiceDefinition {
  return defineService(
    BatchService,
    {
      async createBatch(request, context) {
        const { accountId } = managerOf(context);
        return {
          data: batchMessage(await batches.submit(newBatchOf(request, accountId), callOf(context))),
        };
      },
      async listBatches(request, context) {
        const page = await batches.list(managerOf(context).accountId, pageOf(request));
        return { data: page.batches.map(batchMessage), totalCount: page.totalCount };
      },
      async getBatch({ id }, context) {
        return { data: batchMessage(await batches.get(managerOf(context).accountId, id)) };
      },
      async *streamBatchResults({ id }, context) {
        const { accountId } = managerOf(context);
        const batch = await batches.get(accountId, id);
        for await (const result of batches.results(accountId, id, context.signal)) {
          yield messageFromJson(StreamBatchResultsResponseSchema, resultJson(batch, result));
        }
      },
    },
    {
      checks: {
        createBatch: (request, caller) =>
          batches.violations(newBatchOf(request, admitted(caller, 'management_key').accountId)),
      },
    },
  );
}

function newBatchOf(
  { model, requests, byokKeyId, apiKeyHash }: CreateBatchRequest,
  accountId: string,
): NewBatch {
  return {
    accountId,
    model,
    requests: mapLazily(requests, sentRequest),
    byokKeyId: byokKeyId ?? null,
    apiKeyHash: apiKeyHash ?? null,
  };
}

/** The body's JSON is made each time it is needed: all of it at once would be another copy of the request in memory. */
function sentRequest({ customId, body }: BatchRequest): SentRequest {
  return { customId, body: () => (body === undefined ? NO_BODY : writeMessage(ChatRequestSchema, body)) };
}

/** In the place of a missing body, which the contract refuses. */
const NO_BODY = { messages: [] };

function callOf(context: HandlerContext) {
  const { region, requestId, baseUrl } = callerOf(context);
  return { region, baseUrl, requestId, signal: context.signal };
}
