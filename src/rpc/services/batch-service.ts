import type { HandlerContext } from '@connectrpc/connect';
import {
  type BatchRequest,
  BatchService,
  type CreateBatchRequest,
  StreamBatchResultsResponseSchema,
} from '../../../gen/byway/v1/batches_pb.js';
import { ChatRequestSchema } from '../../../gen/byway/v1/chat_pb.js';
import type { RecordNameReader } from '../../accounts/record-names.js';
import { mapLazily } from '../../base/json/lazy-list.js';
import { pushed } from '../../base/push-stream.js';
import type { Signal } from '../../base/signal.js';
import type { Batch } from '../../batch/batch.js';
import type { Batches } from '../../batch/batches.js';
import type { StagedRequest } from '../../batch/staging.js';
import type { NewBatch } from '../../batch/submission.js';
import { messageFromJson } from '../../protobuf/message-from-json.js';
import { writeMessage } from '../../protobuf/write.js';
import { callerOf, managerOf, principalOfKind } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import type { LastingStreams } from '../lasting-streams.js';
import { batchMessage, resultJson } from '../messages/batch-message.js';
import { pageOf } from '../messages/page.js';

export function batchService(
  batches: Batches,
  names: RecordNameReader,
  lasting: LastingStreams,
): ServiceDefinition {
  async function messagesOf(accountId: string, found: readonly Batch[]) {
    const nameOf = await names.namesOf(accountId, {
      apiKeyHashes: found.map(({ payer }) => payer.apiKeyHash),
      workspaceIds: [],
      byokKeyIds: found.map(({ byokKeyId }) => byokKeyId),
    });
    return found.map((batch) => batchMessage(batch, nameOf));
  }
  async function* resultsOf(accountId: string, id: string, signal: Signal) {
    const batch = await batches.get(accountId, id);
    for await (const result of batches.results(accountId, id, signal)) {
      yield messageFromJson(StreamBatchResultsResponseSchema, resultJson(batch, result));
    }
  }
  return defineService(
    BatchService,
    {
      async createBatch(request, context) {
        const { accountId } = managerOf(context);
        const batch = await batches.submit(newBatchOf(request, accountId), callOf(context));
        const [data] = await messagesOf(accountId, [batch]);
        return { data };
      },
      async listBatches(request, context) {
        const { accountId } = managerOf(context);
        const page = await batches.list(accountId, pageOf(request));
        return { data: await messagesOf(accountId, page.batches), totalCount: page.totalCount };
      },
      async getBatch({ id }, context) {
        const { accountId } = managerOf(context);
        const [data] = await messagesOf(accountId, [await batches.get(accountId, id)]);
        return { data };
      },
      streamBatchResults({ id }, context) {
        const { accountId } = managerOf(context);
        return lasting.add(pushed(resultsOf(accountId, id, context.signal)));
      },
    },
    {
      checks: {
        createBatch: (request, caller) =>
          batches.violations(newBatchOf(request, principalOfKind(caller, 'management_key').accountId)),
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
function sentRequest({ customId, body }: BatchRequest): StagedRequest {
  return { customId, body: () => (body === undefined ? NO_BODY : writeMessage(ChatRequestSchema, body)) };
}

/** In the place of a missing body, which the contract refuses. */
const NO_BODY = { messages: [] };

function callOf(context: HandlerContext) {
  const { region, requestId, baseUrl } = callerOf(context);
  return { region, baseUrl, requestId, signal: context.signal };
}
