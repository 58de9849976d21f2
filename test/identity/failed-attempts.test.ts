import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/base/problem.js';
import { type Authenticator, createAuthenticator } from '../../src/identity/authenticate.js';
import { FailedAttempts } from '../../src/identity/failed-attempts.js';
import { recordingStore } from './recording-store.js';
import { START } from './world.js';

const INVALID = { reason: 'invalid_api_key', httpStatus: 401 };

describe('an address with unknown credentials', () => {
  const LIMITED = { reason: 'rate_limited', httpStatus: 429 };
  const unknown = (index: number) => `Bearer bw-v1-${String(index).padStart(64, '0')}`;
  const KNOWN = `Bearer bw-v1-${'1'.repeat(64)}`;

  /** Tries `count` different unknown credentials in sequence; returns the number of answers by reason. */
  async function attack(
    { authenticate }: Authenticator,
    { count, from = '192.0.2.1', at = START }: { count: number; from?: string; at?: number },
  ) {
    const reasons: Record<string, number> = {};
    for (let index = 0; index < count; index += 1) {
      const attempt = authenticate(unknown(index), at, () => from);
      const reason = await attempt.then(
        () => 'none',
        (error: Problem) => error.reason,
      );
      reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
    return reasons;
  }

  test('is refused beyond 20 attempts a second, without look-ups', async () => {
    const store = recordingStore();
    const authenticator = createAuthenticator(store);
    expect(await attack(authenticator, { count: 100 })).toEqual({ invalid_api_key: 20, rate_limited: 80 });
    expect(store.lookups).toBe(20);
    expect(await attack(authenticator, { count: 100, at: START + 500 })).toMatchObject({
      invalid_api_key: 10,
    });
    expect(await attack(authenticator, { count: 100, at: START + 60_000 })).toMatchObject({
      invalid_api_key: 20,
    });
    expect(await attack(authenticator, { count: 100, from: '192.0.2.2' })).toMatchObject({
      invalid_api_key: 20,
    });
  });

  test('gets Retry-After, whatever it sends', async () => {
    const authenticator = createAuthenticator(recordingStore());
    await attack(authenticator, { count: 20 });
    for (const header of [unknown(100), 'Bearer x', 'nonsense', KNOWN]) {
      await expect(authenticator.authenticate(header, START, () => '192.0.2.1')).rejects.toMatchObject({
        ...LIMITED,
        retryAfterSeconds: 1,
      });
    }
    expect(await authenticator.authenticate(undefined, START, () => '192.0.2.1')).toEqual({
      kind: 'anonymous',
    });
  });

  test('may still use credentials that were found before, also when they have to be looked up again', async () => {
    const store = recordingStore();
    const authenticator = createAuthenticator(store);
    const login = () => authenticator.authenticate(KNOWN, START, () => '192.0.2.1');
    store.known = true;
    await login();
    store.known = false;
    await attack(authenticator, { count: 30 });
    store.known = true;
    expect(await login()).toMatchObject({ kind: 'api_key' });
    store.announce();
    expect(await login()).toMatchObject({ kind: 'api_key' });
    store.announce();
    store.known = false;
    await expect(login()).rejects.toMatchObject(INVALID);
    await expect(login()).rejects.toMatchObject(LIMITED);
  });

  test('must wait after a burst of concurrent attempts', async () => {
    const store = recordingStore();
    const { authenticate } = createAuthenticator(store);
    const burst = Array.from({ length: 120 }, (_, index) => authenticate(unknown(index), START, () => 'a'));
    await Promise.allSettled(burst);
    expect(store.lookups).toBe(120);
    const later = (ms: number) => authenticate(unknown(999), START + ms, () => 'a');
    await expect(later(5_000)).rejects.toMatchObject({ ...LIMITED, retryAfterSeconds: 1 });
    await expect(later(5_051)).rejects.toMatchObject(INVALID);
  });

  test('is never limited because of valid credentials, however many are new at once', async () => {
    const store = recordingStore();
    const { authenticate } = createAuthenticator(store);
    store.known = true;
    const logins = Array.from({ length: 500 }, (_, index) => authenticate(unknown(index), START, () => 'a'));
    expect((await Promise.allSettled(logins)).filter(({ status }) => status === 'rejected')).toEqual([]);
  });
});

test('an address waits no longer than until its next attempt is refilled', () => {
  const attempts = new FailedAttempts(1);
  attempts.count('192.0.2.1', START);
  expect(() => attempts.check('192.0.2.1', START + 500)).toThrow(
    expect.objectContaining({ reason: 'rate_limited', retryAfterSeconds: 1 }),
  );
  attempts.check('192.0.2.1', START + 1_000);
});
