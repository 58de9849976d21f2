import { describe, expect, it } from 'vitest';
import { Problem, type Reason } from '../../../src/base/problem.js';
import { REASONS } from '../../../src/base/reasons.js';
import { errorWords } from '../../../src/formats/chat/error.js';

const REASON_LIST = Object.keys(REASONS) as Reason[];

/** What clients do by the status alone must not contradict what the type tells them. */
const TYPES_OF_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['authentication_error'],
  402: ['insufficient_quota'],
  403: ['permission_error', 'insufficient_quota'],
  404: ['not_found_error'],
  408: ['server_error'],
  429: ['rate_limit_error'],
};

describe('OpenAI’s words for an error', () => {
  it.each(REASON_LIST)('agree with the status of %s', (reason) => {
    const { httpStatus } = REASONS[reason];
    const usual = httpStatus < 500 ? ['invalid_request_error'] : ['server_error'];
    expect(TYPES_OF_STATUS[httpStatus] ?? usual).toContain(errorWords(new Problem(reason, 'said')).type);
  });

  it.each([
    [
      'the first member that broke a rule',
      { violations: [rule('tools[1].type'), rule('n')] },
      'tools[1].type',
    ],
    ['none for the body as a whole', { violations: [rule('')] }, null],
    ['the one that a provider names', { metadata: { provider_error: { param: 'top_p' } } }, 'top_p'],
    ['none that a provider does not name', { metadata: { provider_error: { param: null } } }, null],
    ['none', {}, null],
  ] as const)('name as `param` %s', (_, options, param) => {
    expect(errorWords(new Problem('invalid_request', 'said', options)).param).toBe(param);
  });

  it('name the messages where the prompt is too long', () => {
    expect(errorWords(new Problem('context_length_exceeded', 'said')).param).toBe('messages');
  });
});

function rule(field: string) {
  return { field, rule: 'type', message: 'must be something else' };
}
