import type { ResponsesContract } from '../../../catalog/responses-contract.js';
import type { Endpoint } from '../../../catalog/types.js';

/** What hosts that speak Responses differ in. */
export interface ResponsesHost {
  readonly name: 'openai' | 'azure';
}

export const AT_OPENAI: ResponsesHost = { name: 'openai' };
export const AT_AZURE: ResponsesHost = { name: 'azure' };

export function responsesContract(_endpoint: Endpoint, _host: ResponsesHost): ResponsesContract {
  return { members: null };
}
