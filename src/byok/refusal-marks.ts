/** Which keys their providers refuse, so that `GET /byok` and the dashboard show it: `docs/credentials.md#refused-keys`. */
import type { Clock } from '../base/clock.js';
import { OncePer } from '../base/memory/once-per.js';
import type { ByokKey, KeyRefusal } from './types.js';

export interface KeyRefusalStore {
  /** Marks the key, if it is still there. */
  mark(keyId: string, refusal: KeyRefusal): Promise<void>;
  /** Takes the key's mark away. */
  clear(keyId: string): Promise<void>;
  /** The ids of all keys that are marked. */
  marked(): Promise<readonly string[]>;
}

export interface KeyRefusals {
  /** Marks the key, at most once a minute. */
  refused(key: Pick<ByokKey, 'id'>, refusal: Omit<KeyRefusal, 'at'>): void;
  /** Takes the mark away with an answer; one that another process has set within about a minute. */
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

const MARK_EVERY_MS = 60_000;
const READ_EVERY_MS = 60_000;

/** Keys that were marked last. */
const MAX_KEYS = 10_000;

export function createKeyRefusals({ store, clock, report }: KeyRefusalsDependencies): KeyRefusals {
  const marks = new OncePer(MARK_EVERY_MS, MAX_KEYS, clock);
  let known = new Set<string>();
  let readAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<unknown>) => {
    pending = pending.then(work).catch(report);
  };
  const clear = (id: string) => {
    known.delete(id);
    marks.forget(id);
    inTurn(() => store.clear(id));
  };
  return {
    refused({ id }, refusal) {
      if (!marks.take(id)) return;
      known.add(id);
      const at = clock.now();
      inTurn(() => store.mark(id, { ...refusal, at }));
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
        known = new Set(await store.marked());
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
