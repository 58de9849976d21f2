import { describe, expect, it } from 'vitest';
import { CallerText } from '../../src/inference/attempts/caller-text.js';
import { REFUSALS } from '../support/refusals.js';

const says = (message: string, body: object = { messages: [] }) =>
  REFUSALS.saysUnsupported({ kind: 'invalid_request', message }, new CallerText(body));

const WORDS = [
  'This model is only supported in v1/responses and not in v1/chat/completions.',
  'This is not a chat model and thus not supported in the v1/chat/completions endpoint.',
  'The chatCompletion operation does not work with the specified model, gpt-5-codex.',
  'The requested operation is unsupported.',
  'The API deployment for this resource does not exist.',
  'Invocation of model ID m with on-demand throughput isn’t supported. Retry your request with an inference profile.',
];

describe('that an endpoint can answer no request of this kind', () => {
  it.each(WORDS)('a provider says in its own words: %s', (message) => {
    expect(says(message)).toBe(true);
    expect(REFUSALS.saysUnsupported({ kind: 'rate_limit', message }, new CallerText({}))).toBe(false);
  });

  it.each(WORDS)('it does not by repeating the request: %s', (message) => {
    for (const body of [
      { stop: [message] },
      { messages: [{ role: 'user', content: [{ type: 'text', text: `x ${message}` }] }] },
      { metadata: { [message]: 'a' } },
    ]) {
      for (const repeated of [
        message,
        `Invalid value: ${message}`,
        message.replaceAll(' ', '\n'),
        `stop: ${message}`,
      ]) {
        expect(says(repeated, body), repeated).toBe(false);
      }
    }
    expect(says(`Invalid value: '${message}'`), 'nor by quoting whomever').toBe(false);
  });
});
