import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CallerText } from '../../src/inference/attempts/caller-text.js';
import { outcomeOf } from '../../src/inference/attempts/circuit-sink.js';
import { Deadlines } from '../../src/inference/attempts/deadlines.js';
import { failureOf } from '../../src/inference/attempts/runner.js';
import { UpstreamFailure } from '../../src/inference/ports/failure.js';
import { shortTimeouts } from '../support/chat.js';
import { REFUSALS } from '../support/refusals.js';

const REQUEST = new CallerText({});

it('a timeout while a medium of the caller’s is fetched says nothing about the endpoint, any other does', async () => {
  const deadlines = new Deadlines(
    new AbortController().signal,
    shortTimeouts({ firstByteMs: 10 }),
    undefined,
    true,
  );
  deadlines.begin();
  await sleep(60);
  const slowMedium = new UpstreamFailure('its server can’t be reached in time', {
    kind: 'invalid_request',
    isPenalised: false,
  });
  expect(outcomeOf(failureOf(slowMedium, deadlines), REQUEST, REFUSALS)).not.toEqual({ kind: 'failure' });
  expect(outcomeOf(failureOf(new Error('aborted'), deadlines), REQUEST, REFUSALS)).toEqual({
    kind: 'failure',
  });
  deadlines.end();
});
