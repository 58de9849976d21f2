/** Requests in the Responses format, passed as they came, at any host that takes them over HTTP as OpenAI does. */
import type { Codec } from '../../http/codec.js';
import type { ResponsesHost } from './contract.js';
import type { FindResponses } from './target.js';

export function responsesCodec<Credential>(
  _targetOf: FindResponses<Credential>,
  _host: ResponsesHost,
): Codec<Credential, 'responses'> {
  throw new Error('to be written');
}
