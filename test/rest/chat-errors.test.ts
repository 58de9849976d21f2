import { describe, expect, it } from 'vitest';
import { Problem, type Reason } from '../../src/base/problem.js';
import { REASONS } from '../../src/base/reasons.js';
import { ERROR_TYPES } from '../../src/formats/chat/error.js';
import { serve } from './stub.js';

const REASON_LIST = Object.keys(REASONS) as Reason[];
const CHAT = { model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] };

describe('every error of a chat has `type` and `param` where OpenAI’s clients look for them', () => {
  it.each(REASON_LIST)('%s, whole and streamed', async (reason) => {
    const problem = new Problem(reason, 'said', {
      violations: [{ field: 'messages[0]', rule: 'x', message: 'is wrong' }],
    });
    const { fastify } = await serve({
      unary: () => Promise.reject(problem),
      // biome-ignore lint/correctness/useYield: it fails before its first item.
      stream: async function* () {
        throw problem;
      },
    });
    const param = reason === 'context_length_exceeded' ? 'messages' : 'messages[0]';
    for (const stream of [false, true]) {
      const answer = await fastify.inject({
        method: 'POST',
        url: '/api/v1/chat/completions',
        payload: { ...CHAT, stream },
      });
      expect([answer.statusCode, answer.json().error]).toEqual([
        REASONS[reason].httpStatus,
        {
          code: REASONS[reason].httpStatus,
          message: 'said',
          type: ERROR_TYPES[reason],
          param,
          metadata: { reason, violations: problem.violations },
        },
      ]);
    }
  });

  it('those of other operations have neither', async () => {
    const { fastify } = await serve({ unary: () => Promise.reject(new Problem('not_found', 'said')) });
    const { error } = (await fastify.inject('/api/v1/keys/h')).json();
    expect(error).toEqual({ code: 404, message: 'said', metadata: { reason: 'not_found' } });
  });

  it('so have those that come before the operation: methods, paths below it, what is no JSON', async () => {
    const { fastify } = await serve({});
    const url = '/api/v1/chat/completions';
    const answers = [
      await fastify.inject({ method: 'DELETE', url }),
      await fastify.inject({ method: 'POST', url: `${url}/x`, payload: CHAT }),
      await fastify.inject({ method: 'POST', url, headers: { 'content-type': 'text/plain' }, payload: 'x' }),
      await fastify.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json' },
        payload: '{',
      }),
      await fastify.inject({ method: 'POST', url, payload: { ...CHAT, temperature: 'hot' } }),
    ];
    expect(
      answers.map((answer) => [answer.statusCode, answer.json().error.type, answer.json().error.param]),
    ).toEqual([
      [405, 'invalid_request_error', null],
      [404, 'not_found_error', null],
      [415, 'invalid_request_error', null],
      [400, 'invalid_request_error', null],
      [400, 'invalid_request_error', 'temperature'],
    ]);
  });
});
