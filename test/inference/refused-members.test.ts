import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusedMembers } from '../../src/inference/attempts/refused-members.js';

const refusedIn = (message: string) => refusedMembers({ kind: 'invalid_request', message });

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
    expect(refusedMembers({ kind: 'upstream_error', message: "Unknown parameter: 'top_k'." })).toEqual([]);
    fc.assert(fc.property(fc.string(), (message) => void expect(refusedIn(message)).toEqual([])));
  });
});
