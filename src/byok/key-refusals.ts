/** Records which keys their providers refuse, so that `GET /byok` and the dashboard show it: `docs/credentials.md#refused-keys`. */
import type { Clock } from '../base/clock.js';
import { OncePer } from '../base/memory/once-per.js';
import type { ByokKey, KeyRefusal } from './types.js';

export interface KeyRefusalStore {
  /** Records the refusal, if the key still exists. */
  record(keyId: string, refusal: KeyRefusal): Promise<void>;
  /** Removes the recorded refusal. */
  clear(keyId: string): Promise<void>;
  /** The ids of all keys with a recorded refusal. */
  refusedKeyIds(): Promise<readonly string[]>;
}

export interface KeyRefusals {
  /** Records a refusal of the key, at most once a minute. */
  refused(key: Pick<ByokKey, 'id'>, refusal: Omit<KeyRefusal, 'at'>): void;
  /** Removes the refusal after an answer; one that another process has recorded, within about a minute. */
  accepted(key: Pick<ByokKey, 'id'>): void;
  /** Resolves when everything is written. */
  idle(): Promise<void>;
}

export interface KeyRefusalsDependencies {
  readonly store: KeyRefusalStore;
  readonly clock: Clock;
  /** Called when a write or a read has failed; the next refusal or answer makes up for it. */
  readonly report: (error: unknown) => void;
}

const RECORD_EVERY_MS = 60_000;
const READ_EVERY_MS = 60_000;

/** Maximum of keys whose last record is remembered. */
const MAX_KEYS = 10_000;

export function createKeyRefusals({ store, clock, report }: KeyRefusalsDependencies): KeyRefusals {
  const recent = new OncePer(RECORD_EVERY_MS, MAX_KEYS, clock);
  let known = new Set<string>();
  let readAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<unknown>) => {
    pending = pending.then(work).catch(report);
  };
  const clear = (id: string) => {
    known.delete(id);
    recent.forget(id);
    inTurn(() => store.clear(id));
  };
  return {
    refused({ id }, refusal) {
      if (!recent.take(id)) return;
      known.add(id);
      const at = clock.now();
      inTurn(() => store.record(id, { ...refusal, at }));
    },
    accepted({ id }) {
      if (known.has(id)) {
        clear(id);
        return;
      }
      const now = clock.now();
      if (now - readAt < READ_EVERY_MS) return;
      readAt = now;
      inTurn(async () => {
        known = new Set(await store.refusedKeyIds());
        if (known.has(id)) clear(id);
      });
    },
    async idle() {
      let last: unknown;
      while (last !== pending) {
        last = pending;
        await pending;
      }
    },
  };
}
