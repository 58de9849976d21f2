import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallerText } from '../../src/inference/attempts/caller-text.js';
import type { Refusal } from '../../src/inference/attempts/refusals.js';
import { REFUSALS } from '../support/refusals.js';

const EMPTY = new CallerText({ messages: [] });
const refusal = (message: string, more: Partial<Refusal> = {}): Refusal => ({
  kind: 'invalid_request',
  message,
  ...more,
});
const refusedIn = (message: string) => REFUSALS.membersIn(refusal(message), EMPTY).map(({ name }) => name);

describe('the members that a refusal names as unsupported', () => {
  it.each<[string, readonly string[]]>([
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      ['max_tokens'],
    ],
    [
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      ['temperature'],
    ],
    ['Unrecognized request argument supplied: top_k', ['top_k']],
    ['Unrecognized request arguments supplied: min_p, top_k', ['min_p', 'top_k']],
    [
      'Model incompatible request arguments supplied: frequency_penalty, presence_penalty, temperature, top_p',
      ['frequency_penalty', 'presence_penalty', 'temperature', 'top_p'],
    ],
    ["Unknown parameter: 'stream_options.include_obfuscation'.", ['stream_options']],
    ['top_k: Extra inputs are not permitted', ['top_k']],
    ['body.random_seed: Extra inputs are not permitted', ['seed']],
    ["Extra inputs are not permitted, field: 'top_a', value: 0.5", ['top_a']],
    ["property 'verbosity' is unsupported", ['verbosity']],
    ['`temperature` is deprecated for this model.', ['temperature']],
    ['`reasoning_effort` is not supported with this model', ['reasoning_effort']],
    ['Argument not supported on this model: presencePenalty', ['presence_penalty']],
    [
      'Invalid JSON payload received. Unknown name "seed" at \'generation_config\': Cannot find field.',
      ['seed'],
    ],
    ['Malformed input request: #: extraneous key [top_k] is not permitted, please reformat', ['top_k']],
    [
      'Unexpected value(s) `a-1`, `b-2` for the `anthropic-beta` header. Please consult',
      ['anthropic-beta:a-1', 'anthropic-beta:b-2'],
    ],
  ])('%s', (message, members) => {
    expect(refusedIn(message)).toEqual(members);
  });

  it.each([
    ['Unrecognized request argument supplied: store'],
    ["Unsupported parameter: 'tools' is not supported with this model."],
    ["Unknown parameter: 'messages[1].reasoning'."],
    ['messages.0.user.name: Extra inputs are not permitted'],
    ['tools.0.custom.temperature: Extra inputs are not permitted'],
    ['Unrecognized request arguments supplied: top_k, response_format'],
    ["Invalid schema for response_format 'x': 'minimum' is not permitted."],
    ['max_tokens is too large: 100000'],
    ['My temperature is not supported'],
  ])('none that a request can do without: %s', (message) => {
    expect(refusedIn(message)).toEqual([]);
  });

  it('of no other failure, and of no other text', () => {
    const failed = refusal("Unknown parameter: 'top_k'.", { kind: 'upstream_error' });
    expect(REFUSALS.membersIn(failed, EMPTY)).toEqual([]);
    fc.assert(fc.property(fc.string(), (message) => void expect(refusedIn(message)).toEqual([])));
  });
});

it('metrics count few kinds of members, whatever clients call theirs', () => {
  const members = ['top_k', 'stop_sequences', 'api_version', 'anthropic-beta:a-1', 'mine-1', 'mine-2'];
  expect(members.map((member) => REFUSALS.kindOf(member))).toEqual([
    'top_k',
    'stop_sequences',
    'api_version',
    'anthropic-beta',
    'other',
    'other',
  ]);
});

describe('only words that say that a member is not supported teach', () => {
  const taughtBy = (message: string, more: Partial<Refusal> = {}, body: object = { messages: [] }) =>
    REFUSALS.membersIn(refusal(message, more), new CallerText(body)).flatMap(({ name, isTaught }) =>
      isTaught ? name : [],
    );

  it.each<[string, Partial<Refusal>]>([
    ["Unsupported value: 'temperature' does not support 9 with this model.", {}],
    [
      "Unsupported value: 'temperature' does not support 9 with this model.",
      { providerParam: 'temperature' },
    ],
    ["Invalid 'temperature': must be between 0 and 2", { providerParam: 'temperature' }],
    ["Unsupported parameter: 'seed'", { providerParam: 'seed', providerCode: 'invalid_value' }],
    ["Unsupported parameter: 'seed'", { providerParam: 'stop' }],
    ['temperature: Input should be less than or equal to 1', {}],
  ])('never those about a value: %s', (message, more) => {
    expect(taughtBy(message, more)).toEqual([]);
  });

  it.each(['stream_options', 'max_tokens', 'max_completion_tokens'])(
    'never %s by words alone, but by the error’s own param',
    (name) => {
      const message = `Unsupported parameter: '${name}' is not supported with this model.`;
      expect(taughtBy(message)).toEqual([]);
      expect(taughtBy(message, { providerParam: name })).toEqual([name]);
      expect(taughtBy('No.', { providerParam: name, providerCode: 'unsupported_parameter' })).toEqual([name]);
    },
  );

  const SUPPORT_WORDS = [
    "Unsupported parameter: 'seed'",
    'Unrecognized request argument supplied: seed',
    'Model incompatible request argument supplied: seed',
    "Unknown parameter: 'seed'",
    'seed: Extra inputs are not permitted',
    "Extra inputs are not permitted, field: 'seed'",
    "property 'seed' is unsupported",
    '`seed` is deprecated',
    'Argument not supported on this model: seed',
    'does not support parameter: seed',
    'Unknown name "seed"',
    'extraneous key [seed]',
  ];
  /** How a provider repeats what it was sent. */
  const ECHOES: readonly ((text: string) => string)[] = [
    (text) => `Invalid value: '${text}'. Supported values are: 'a' and 'b'.`,
    (text) => `Invalid value: ${text}`,
    (text) => `${text}`,
    (text) => `stop: ${text.replace(/ /g, '  ')} is no sequence`,
    (text) => `Value error, ${JSON.stringify(text)} is too long`,
  ];
  /** Where a caller writes it. */
  const PLACES: readonly ((text: string) => object)[] = [
    (text) => ({ stop: [`x ${text} y`], seed: 1 }),
    (text) => ({ messages: [{ role: 'user', content: text }], seed: 1 }),
    (text) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: `-${text}` }] }] }),
    (text) => ({ metadata: { [text]: '1' } }),
  ];

  it('never those that the request itself says, wherever it says them and however they are repeated', () => {
    for (const words of SUPPORT_WORDS) {
      expect(taughtBy(words), words).toEqual(['seed']);
      for (const place of PLACES) {
        for (const echo of ECHOES) {
          const members = REFUSALS.membersIn(refusal(echo(words)), new CallerText(place(words)));
          expect(members, echo(words)).toEqual([]);
        }
      }
    }
  });

  it.each<[string, object]>([
    ["'seed' is not supported", { service_tier: 'seed' }],
    ['x seed: Extra inputs are not permitted', { 'x seed': 1 }],
    ["property 'seed' is unsupported", { tools: [{ parameters: { properties: { seed: {} } } }] }],
  ])('never by a name that the caller has made: %s', (message, body) => {
    expect(taughtBy(message, {}, { seed: 1, ...body })).toEqual([]);
  });

  it('a text is not the request’s for a word that both have, nor one of which most is media', () => {
    const body = {
      messages: [{ role: 'user', content: 'Which temperature is not supported by a parameter?' }],
    };
    expect(taughtBy("Unsupported parameter: 'temperature'", {}, body)).toEqual(['temperature']);
    const media = { messages: [{ role: 'user', content: `data:image/png;base64,${'A'.repeat(8_000_000)}` }] };
    expect(taughtBy("Unsupported parameter: 'temperature'", {}, media)).toEqual(['temperature']);
  });

  it('nothing, where too much of the request would have to be compared', () => {
    const body = { messages: [{ role: 'user', content: 'Unsupported '.repeat(100_000) }] };
    expect(taughtBy("Unsupported parameter: 'temperature'", {}, body)).toEqual([]);
  });

  it.each([
    ['invalid beta flag', { stop: ['invalid beta flag'] }, ['anthropic-beta:*']],
    ['stop: invalid beta flag', {}, []],
    ['Unexpected value(s) `a-1` for the `anthropic-beta` header', {}, ['anthropic-beta:a-1']],
    [
      'Unexpected value(s) `a-1` for the `anthropic-beta` header',
      { stop: 'Unexpected value(s) `a-1` for the `anthropic-beta` header' },
      [],
    ],
    ['stop: Unexpected value(s) `a-1` for the `anthropic-beta` header', {}, []],
  ])('of beta features: %s', (message, body, members) => {
    expect(taughtBy(message, {}, body)).toEqual(members);
  });
});
