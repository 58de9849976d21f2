/** Describes the errors and streams of the Responses API in OpenAPI: https://platform.openai.com/docs/guides/error-codes */
const ERROR = 'ResponsesError';

export const RESPONSES_OPENAPI = {
  error: {
    name: ERROR,
    schema: {
      description: 'The body of every error of the Responses API.',
      type: 'object',
      properties: {
        error: {
          type: 'object',
          properties: {
            type: { description: "OpenAI's word for its kind.", type: 'string' },
            code: { description: 'A stable word.', type: ['string', 'null'] },
            message: { description: 'Text.', type: 'string' },
            param: {
              description: 'Path of the member of the request that it is about.',
              type: ['string', 'null'],
            },
            resets_at: {
              description:
                'Of `usage_limit_reached`: when what was spent can be spent again, in Unix seconds.',
              type: 'integer',
            },
            metadata: { $ref: '#/components/schemas/ErrorMetadata' },
          },
          required: ['message'],
          additionalProperties: true,
        },
      },
      required: ['error'],
      additionalProperties: true,
    },
  },
  responses: {
    429: {
      name: 'ResponsesRateLimited',
      description:
        'Too many requests, or what may be spent is spent: `usage_limit_reached` where it resets, else `insufficient_quota`; the same body.',
      hasRetryAfter: true,
    },
    default: {
      name: ERROR,
      description:
        'Status and body as OpenAI has them: 400 for unknown models too, and where nothing may serve the request; 401, 403, 404, 413, 500, 502 where no provider could serve it, 503.',
      hasRetryAfter: false,
    },
  },
  events:
    'events, each named by the `type` of its `data`; the last is `response.completed`, `response.incomplete` or `response.failed`',
};
