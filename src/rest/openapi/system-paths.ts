import type { JsonObject } from '@bufbuild/protobuf';
import { headersOf } from './headers.js';
import { reference } from './schema.js';

/** The group of the server's own operations. */
export const SYSTEM_TAG = {
  name: 'System',
  description: 'What probes and monitoring ask of the server itself.',
};

const STATUSES = { Unauthorized: 401, Forbidden: 403, InternalError: 500 } as const;

/** Paths at the server's root that are no operation of the contract. */
export const SYSTEM_PATHS: JsonObject = {
  '/healthz': {
    get: {
      ...operation('getHealth', 'Tells that the process lives', []),
      responses: { 200: statusAnswer('The process lives.'), ...failures('Unauthorized', 'InternalError') },
    },
  },
  '/metrics': {
    get: {
      ...operation('getMetrics', 'Reads the metrics of the process in the text format of Prometheus', [
        'operatorKey',
      ]),
      responses: {
        200: {
          description: 'The metrics.',
          headers: headersOf(),
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
        ...failures('Unauthorized', 'Forbidden', 'InternalError'),
      },
    },
  },
  '/readyz': {
    get: {
      ...operation('getReadiness', 'Tells whether requests can be served', []),
      responses: {
        200: statusAnswer('Requests can be served.'),
        503: reference('responses', 'OtherError'),
        ...failures('Unauthorized', 'InternalError'),
      },
    },
  },
};

function operation(operationId: string, summary: string, schemes: readonly string[]): JsonObject {
  const security = schemes.map((scheme) => ({ [scheme]: [] }));
  return { tags: [SYSTEM_TAG.name], summary, operationId, security };
}

function statusAnswer(description: string): JsonObject {
  const schema = {
    type: 'object',
    properties: { status: { description: 'Always `ok`.', type: 'string', enum: ['ok'] } },
    required: ['status'],
  };
  return {
    description,
    headers: headersOf(),
    content: { 'application/json': { schema, example: { status: 'ok' } } },
  };
}

function failures(...names: (keyof typeof STATUSES)[]): JsonObject {
  const known = names.map((name) => [STATUSES[name], reference('responses', name)]);
  return { ...Object.fromEntries(known), default: reference('responses', 'OtherError') };
}
