/** Describes the errors and streams of the Messages API in OpenAPI: https://docs.claude.com/en/api/errors */
const ERROR = 'MessagesError';

export const MESSAGES_OPENAPI = {
  error: {
    name: ERROR,
    schema: {
      description: 'The body of every error of the Messages API.',
      type: 'object',
      properties: {
        type: { description: '`error`.', type: 'string' },
        error: {
          type: 'object',
          properties: {
            type: { description: "Anthropic's word for it.", type: 'string' },
            message: { description: 'Text.', type: 'string' },
            metadata: { $ref: '#/components/schemas/ErrorMetadata' },
          },
          required: ['type', 'message'],
          additionalProperties: true,
        },
        request_id: { description: 'Of the request.', type: ['string', 'null'] },
      },
      required: ['type', 'error'],
      additionalProperties: true,
    },
  },
  responses: {
    429: {
      name: 'MessagesRateLimited',
      description: 'Too many requests; the same body.',
      hasRetryAfter: true,
    },
    default: {
      name: ERROR,
      description:
        'Status and body as Anthropic has them: 400, also where guardrails or policies leave no endpoint, 401, 402 for credits, limits and budgets, 403 for a key of another kind, 404 for unknown models too, 413, 500, 529 where no provider could serve the request.',
      hasRetryAfter: false,
    },
  },
  events: 'events, each named by the `type` of its `data`; a `ping` may come anywhere',
};
