import type { Choose } from './meant.js';

/** The answer of a host, as bytes. */
export interface Spelled {
  readonly type: string;
  readonly bytes: Buffer;
  /** What of the spelling a failure is understood by. */
  readonly how: string;
  /** The ids of the calls where the host gives each one of its own. */
  readonly ids?: readonly string[];
}

/** JSON in one of the ways to write characters: as they are, or as escapes. */
export function jsonBy(choose: Choose): (value: unknown) => string {
  return choose(2) === 0
    ? JSON.stringify
    : (value) =>
        JSON.stringify(value).replace(
          /[\u0080-\uffff]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
}

const LINE_ENDS = ['\n', '\r\n', '\r'] as const;

/** Server-sent events in one of the ways to write them. */
export function sseBy(choose: Choose, events: readonly { name?: string; data: string }[]): Buffer {
  const end = LINE_ENDS[choose(LINE_ENDS.length)] ?? '\n';
  const comment = choose(3) === 0 ? `: keep-alive${end}${end}` : '';
  const space = choose(2) === 0 ? ' ' : '';
  const texts = events.map(
    ({ name, data }) =>
      `${name === undefined ? '' : `event:${space}${name}${end}`}data:${space}${data}${end}${end}`,
  );
  const isBare = choose(4) === 0;
  const whole = `${choose(5) === 0 ? '\uFEFF' : ''}${texts.map((one) => comment + one).join('')}`;
  return Buffer.from(isBare ? whole.slice(0, -end.length) : whole);
}
