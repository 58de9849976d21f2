/**
 * InvokeModel, which takes requests to Anthropic's models in their own format:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 */
import type { Provider } from '../../catalog/types.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject } from '../../formats/json.js';
import { betasIn } from '../../formats/messages/headers.js';
import type { UpstreamCall, UpstreamEvent } from '../../inference/ports/adapter.js';
import { requestAtHost } from '../anthropic/host-betas.js';
import { throwReported } from '../anthropic/messages-adapter.js';
import { hostedBody, NativeReader } from '../anthropic/native-lane.js';
import { innerAnswerJson } from '../http/answer-json.js';
import { malformed } from '../http/failures.js';
import { modelUrl } from './request.js';

const ANTHROPIC_VERSION = 'bedrock-2023-05-31';

export function invokeUrl(provider: Provider, region: string, modelId: string, isStreamed: boolean): URL {
  return modelUrl(provider, region, modelId, isStreamed ? 'invoke-with-response-stream' : 'invoke');
}

/**
 * Whether it is streamed is the operation's. Members that Bedrock refuses are left out where the answer is the same without
 * them; it refuses any other itself.
 */
export function invokeBody(call: UpstreamCall<unknown, 'messages'>): JsonObject {
  const request = requestAtHost('amazon-bedrock', call, betasIn(call.apiHeaders));
  const { metadata, service_tier, container, inference_geo, ...others } = hostedBody(
    request.body,
    ANTHROPIC_VERSION,
  );
  const body = {
    ...others,
    ...(isGiven(container) && { container }),
    ...(isGiven(inference_geo) && inference_geo !== 'global' && { inference_geo }),
  };
  return request.betas.length === 0 ? body : { ...body, anthropic_beta: request.betas };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Reads the chunks of a stream, each of which has an event of the Messages API in it. */
export class ChunkReader {
  readonly #events = new NativeReader();

  read(_type: string, { bytes }: JsonObject): readonly UpstreamEvent[] {
    const text = typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString() : '';
    const event = innerAnswerJson(text);
    if (!isObject(event)) throw malformed();
    throwReported(event);
    return [this.#events.read(event, text)];
  }
}
