import type { Clock } from '../../src/base/clock.js';

/** A clock that only moves when told to. */
export interface SetClock extends Clock {
  /** Moves it forward by milliseconds. */
  advance(ms: number): void;
  /** Moves it to an instant, in Unix milliseconds or ISO 8601. */
  set(instant: number | string): void;
}

export function clockAt(instant: number | string): SetClock {
  let at = unixMs(instant);
  return {
    now: () => at,
    advance(ms) {
      at += ms;
    },
    set(next) {
      at = unixMs(next);
    },
  };
}

function unixMs(instant: number | string): number {
  return typeof instant === 'number' ? instant : Date.parse(instant);
}
