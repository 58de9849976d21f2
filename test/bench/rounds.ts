/** The processor time of small works, each beside another, in the best of some rounds, which alternate. */
import type { Measurement } from './measurement.js';

const ROUNDS = 15;

export interface Works {
  readonly ours: Work;
  readonly plain: Work;
}

/** Does something so many times; the microseconds of processor time where only a part counts. */
export type Work = (times: number) => undefined | Promise<number>;

export function repeated(once: () => void): Work {
  return (times) => {
    for (let time = 0; time < times; time += 1) once();
    return undefined;
  };
}

export async function measured(
  title: string,
  peerIs: string,
  times: number,
  works: Works,
): Promise<Measurement> {
  const best = { ours: Infinity, plain: Infinity };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of ['ours', 'plain'] as const) {
      const before = process.cpuUsage();
      const taken = await works[name](times);
      const { user, system } = process.cpuUsage(before);
      best[name] = Math.min(best[name], (taken ?? user + system) / times);
    }
  }
  return { title, unit: 'us', byway: best.ours, peer: best.plain, peerIs };
}
