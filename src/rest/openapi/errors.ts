import type { JsonObject } from '@bufbuild/protobuf';
import { ViolationSchema } from '../../../gen/byway/v1/error_pb.js';
import { REASONS } from '../../base/reasons.js';
import { type ApiConventions, type Apis, conventionsOf } from '../../http/api-conventions.js';
import { errorAnswer } from '../../http/error-envelope.js';
import type { Operation } from '../operation.js';
import { FAILURES } from './failures.js';
import { headersOf, RATE_HEADERS } from './headers.js';
import { reference, type Schema, sorted } from './schema.js';
import type { Schemas } from './schemas.js';

/** The answer for every status that operations do not name. */
const OTHER = 'OtherError';

/** The error answers of an operation, by status. */
export function errorResponsesOf(operation: Operation, apis: Apis): JsonObject {
  const described = conventionsOf(apis, operation.rule.api)?.openapi;
  if (described !== undefined) {
    const responses = Object.entries(described.responses);
    return Object.fromEntries(responses.map(([status, { name }]) => [status, reference('responses', name)]));
  }
  const known = [...FAILURES].filter(([, { happensTo }]) => happensTo(operation));
  return {
    ...Object.fromEntries(known.map(([status, { name }]) => [status, reference('responses', name)])),
    default: reference('responses', OTHER),
  };
}

/**
 * The error answers that operations refer to. Adds the error envelope (docs/compatibility.md#errors) to the schemas.
 */
export function errorResponses(schemas: Schemas, apis: Apis): JsonObject {
  const schema = addEnvelope(schemas);
  const known = [...FAILURES].map(([status, { name, description, example }]): [string, JsonObject] => [
    name,
    {
      description: `${description} ${reasonsText((httpStatus) => httpStatus === status)}`,
      headers: status === 429 ? headersOf('Retry-After', ...RATE_HEADERS) : headersOf(),
      content: { 'application/json': { schema, example: envelopeOf(example) } },
    },
  ]);
  const other = {
    description: `What can end any request early. ${reasonsText((httpStatus) => !FAILURES.has(httpStatus))}`,
    headers: headersOf(),
    content: { 'application/json': { schema } },
  };
  return sorted([...known, [OTHER, other], ...Object.values(apis).flatMap((api) => errorsOf(api, schemas))]);
}

function errorsOf({ openapi }: ApiConventions, schemas: Schemas): [string, JsonObject][] {
  if (openapi === undefined) return [];
  const schema = schemas.add(openapi.error.name, openapi.error.schema);
  return Object.values(openapi.responses).map(({ name, description, hasRetryAfter }) => [
    name,
    {
      description,
      headers: hasRetryAfter ? headersOf('Retry-After') : headersOf(),
      content: { 'application/json': { schema } },
    },
  ]);
}

function addEnvelope(schemas: Schemas): Schema {
  const reason = schemas.add('ErrorReason', {
    description: 'A stable word for why the request failed.',
    type: 'string',
    enum: Object.keys(REASONS),
  });
  const metadata = schemas.add('ErrorMetadata', {
    description: 'Extra data.',
    type: ['object', 'null'],
    properties: {
      reason,
      violations: {
        description: 'Every rule that the request broke.',
        type: 'array',
        items: schemas.output(ViolationSchema),
      },
    },
    additionalProperties: true,
  });
  const error = {
    type: 'object',
    properties: {
      code: { description: 'Equal to the HTTP status.', type: 'integer' },
      message: { description: 'Text.', type: 'string' },
      type: {
        description:
          'Of chats: the word that OpenAI has for it, such as `invalid_request_error`, `rate_limit_error` or `server_error`.',
        type: 'string',
      },
      param: {
        description:
          'Of chats: path of the member of the request that it is about; null where it is about none.',
        type: ['string', 'null'],
      },
      metadata,
    },
    required: ['code', 'message'],
  };
  return schemas.add('Error', {
    description: 'The body of every error.',
    type: 'object',
    properties: {
      error,
      ...schemas.aliased({
        service_metadata: {
          description: 'Extra data.',
          type: ['object', 'null'],
          additionalProperties: true,
        },
        user_id: { description: "The caller's user identifier.", type: ['string', 'null'] },
      }),
    },
    required: ['error'],
  });
}

function envelopeOf(example: Parameters<typeof errorAnswer>[0]): JsonObject {
  // What is sent is the JSON of the envelope.
  return JSON.parse(JSON.stringify(errorAnswer(example).body)) as JsonObject;
}

function reasonsText(isOf: (httpStatus: number) => boolean): string {
  const reasons = Object.entries(REASONS).filter(([, { httpStatus }]) => isOf(httpStatus));
  return `Reasons: ${reasons.map(([reason]) => `\`${reason}\``).join(', ')}.`;
}
