import { describe, expect, it } from 'vitest';
import {
  type LimitTraffic,
  missesTraffic,
  shouldCountByok,
  type Traffic,
} from '../../src/dashboard/base/traffic.js';

const traffic = (sharedNanoUsd: bigint, byokNanoUsd: bigint, hasByokKeys = false): LimitTraffic => ({
  ...{ sharedNanoUsd, byokNanoUsd, hasByokKeys },
  ...{ whose: 'account', isPending: false },
});

describe('a new limit counts own keys', () => {
  it.each<[string, LimitTraffic, boolean]>([
    ['where all of the spend is theirs', traffic(0n, 1n, true), true],
    ['where half of it is', traffic(5n, 5n, true), true],
    ['not where less than half of it is', traffic(6n, 5n, true), false],
    ['not where none of it is, whatever is stored', traffic(1n, 0n, true), false],
    ['where nothing was spent and there are any', traffic(0n, 0n, true), true],
    ['not where nothing was spent and there are none', traffic(0n, 0n), false],
  ])('%s', (_, of, expected) => {
    expect(shouldCountByok(of)).toBe(expected);
  });
});

describe('a limit without own keys counts nothing of what flows', () => {
  it.each<[string, Traffic, boolean]>([
    ['where all of it is theirs', traffic(0n, 1n), true],
    ['where the rest may be their fee of 5 %', traffic(5n, 100n), true],
    ['not where more than that is charged', traffic(6n, 100n), false],
    ['not where nothing flows', traffic(0n, 0n), false],
    ['not where none of it is theirs', traffic(1n, 0n), false],
  ])('%s', (_, of, expected) => {
    expect(missesTraffic(of)).toBe(expected);
  });
});
