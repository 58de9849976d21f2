import { describe, expect, it } from 'vitest';
import { Measurements } from '../../src/routing/health/endpoint-measurements.js';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 5, 12, 30, 7, 123);

function start() {
  const clock = { at: START, now: () => clock.at };
  const measurements = new Measurements(clock);
  const answer = (latencyMs: number, completionTokens = 10) =>
    measurements.answered({ endpointId: 'a', latencyMs, generationTimeMs: 1000, completionTokens });
  return { clock, measurements, answer };
}

describe('what this process has measured of an endpoint', () => {
  it('is nothing before the first attempt, and of endpoints that were not tried', () => {
    const { measurements } = start();
    measurements.attempted('a', true);
    expect(measurements.of('b')).toEqual({
      uptimeLast5m: null,
      uptimeLast30m: null,
      uptimeLast1d: null,
      latency: null,
      throughput: null,
    });
  });

  it('is the percentage of attempts that it answered, in the last 5 minutes, 30 minutes and day', () => {
    const { clock, measurements } = start();
    measurements.attempted('a', false);
    clock.at += 60 * MINUTE_MS;
    measurements.attempted('a', false);
    measurements.attempted('a', true);
    clock.at += 10 * MINUTE_MS;
    measurements.attempted('a', true);
    expect(measurements.of('a')).toMatchObject({
      uptimeLast5m: 100,
      uptimeLast30m: (100 * 2) / 3,
      uptimeLast1d: 50,
    });
    clock.at += 24 * 60 * MINUTE_MS;
    expect(measurements.of('a')).toMatchObject({ uptimeLast5m: null, uptimeLast1d: null });
  });

  it('forgets a minute of yesterday when the same minute of today comes', () => {
    const { clock, measurements } = start();
    measurements.attempted('a', false);
    clock.at += 24 * 60 * MINUTE_MS;
    measurements.attempted('a', true);
    expect(measurements.of('a').uptimeLast1d).toBe(100);
  });

  it('is percentiles of latency and of tokens per second, each one that was measured', () => {
    const { measurements, answer } = start();
    for (let latency = 1; latency <= 100; latency++) answer(latency, latency);
    expect(measurements.of('a')).toMatchObject({
      latency: { p50: 50, p75: 75, p90: 90, p99: 99 },
      throughput: { p50: 50, p75: 75, p90: 90, p99: 99 },
    });
  });

  it('leaves answers without counted tokens out of tokens per second', () => {
    const { measurements, answer } = start();
    answer(5, 0);
    expect(measurements.of('a')).toMatchObject({ latency: { p50: 5, p99: 5 }, throughput: null });
  });

  it('is of the last 30 minutes alone, and of the last 256 answers', () => {
    const { clock, measurements, answer } = start();
    answer(1000);
    clock.at += 30 * MINUTE_MS;
    answer(1);
    expect(measurements.of('a').latency).toMatchObject({ p50: 1, p99: 1 });
    for (let n = 0; n < 700; n++) answer(2);
    expect(measurements.of('a').latency).toMatchObject({ p50: 2, p99: 2 });
    clock.at += 30 * MINUTE_MS;
    expect(measurements.of('a').latency).toBeNull();
  });
});
