import { create } from '@bufbuild/protobuf';
import { type Batch as BatchMessage, BatchSchema, BatchStatus } from '../../../gen/byway/v1/batches_pb.js';
import type { RecordNames } from '../../accounts/record-names.js';
import { isoTimestamp } from '../../base/clock.js';
import {
  type Batch,
  inputObject,
  outputPrefix,
  type BatchStatus as StatusWord,
  shownStatus,
  storageUri,
} from '../../batch/batch.js';
import type { BatchResult } from '../../batch/batches.js';
import type { AnswerChoice } from '../../formats/chat/types.js';
import { usageBlock } from '../../inference/ports/usage.js';
import { choiceWithoutReasoning } from '../../inference/reasoning/hidden-reasoning.js';
import { defined } from './defined.js';
import { apiKeyNames, byokKeyNames } from './record-names.js';

export function batchMessage(batch: Batch, nameOf: RecordNames): BatchMessage {
  const { id, model, byokKeyId, payer, bucket, total, completed, failed, providerJob, error } = batch;
  return create(BatchSchema, {
    id,
    model,
    byokKeyId,
    status: STATUSES[shownStatus(batch)],
    createdAt: isoTimestamp(batch.createdAt),
    requestCounts: { total, completed, failed },
    ...byokKeyNames(byokKeyId, nameOf),
    ...apiKeyNames(payer.apiKeyHash, nameOf),
    ...defined({
      providerJob,
      error,
      inputUri: bucket === null ? null : storageUri(bucket, inputObject(id)),
      outputUri: bucket === null ? null : storageUri(bucket, outputPrefix(id)),
      apiKeyHash: payer.apiKeyHash === '' ? null : payer.apiKeyHash,
    }),
  });
}

/** One line of a batch's results: the answer as a chat completion, or the error (docs/batches.md#results). */
export function resultJson(batch: Batch, result: BatchResult): object {
  const { customId: custom_id } = result;
  if (result.kind === 'failed') {
    return { custom_id, error: { code: result.status, message: result.message } };
  }
  const { generationId, answer, isReasoningHidden, metered, list, chargedNanoUsd } = result;
  // The adapters build them with this type.
  const choices = answer.choices as unknown as readonly AnswerChoice[];
  const body = {
    id: generationId,
    object: 'chat.completion',
    created: Math.floor(batch.createdAt / 1000),
    model: batch.model,
    provider: batch.provider,
    choices: isReasoningHidden ? choices.map(choiceWithoutReasoning) : choices,
    usage: usageBlock(metered, { isByok: true, list, chargedNanoUsd }),
    system_fingerprint: answer.systemFingerprint,
  };
  return { custom_id, response: { status_code: 200, body } };
}

const STATUSES: Record<StatusWord, BatchStatus> = {
  validating: BatchStatus.VALIDATING,
  queued: BatchStatus.QUEUED,
  running: BatchStatus.RUNNING,
  completed: BatchStatus.COMPLETED,
  failed: BatchStatus.FAILED,
  cancelled: BatchStatus.CANCELLED,
};
