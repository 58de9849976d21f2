import type { Clock } from '../../src/base/clock.js';

/** A time that stands still until it is moved. */
export interface SetClock extends Clock {
  /** Moves it by so many milliseconds. */
  advance(ms: number): void;
  /** Moves it to an instant, in Unix milliseconds or as ISO 8601 has it. */
  set(instant: number | string): void;
}

/** A clock that begins at the instant. */
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
