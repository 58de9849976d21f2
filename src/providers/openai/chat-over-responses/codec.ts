/** Sends chats as Responses requests, to hosts and models that speak nothing else. */
import type { Codec } from '../../http/codec.js';
import type { FindResponses } from '../responses/target.js';

export function chatOverResponses<Credential>(
  _targetOf: FindResponses<Credential>,
): Codec<Credential, 'chat'> {
  throw new Error('to be written');
}
