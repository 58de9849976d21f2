import { describe, expect, it } from 'vitest';
import { SignalSource } from '../../src/base/signal.js';
import type { HeldMoney } from '../../src/ledger/held-money.js';
import {
  MAX_WAITING_BYTES,
  MAX_WAITING_OF_PROCESS,
  ReservationQueues,
  type Waiting,
} from '../../src/ledger/reservation-queues.js';

const WAIT_MS = 10_000;

const HELD = {
  queue: 'q',
  title: 'a limit',
  limitNanoUsd: 1n,
  spentNanoUsd: 0n,
  reservedNanoUsd: 1n,
} as HeldMoney;

function waiting(more: Partial<Waiting> = {}): Waiting {
  return { accountId: 'a', signal: new SignalSource(), maxMs: undefined, bytes: () => 1, ...more };
}

describe('requests that wait for the same money', () => {
  it('stand behind those that came earlier, and nobody behind those that came later', async () => {
    const queues = new ReservationQueues(WAIT_MS);
    const [first, second] = [queues.arrive(waiting()), queues.arrive(waiting())];
    const asked = second.wait('q');
    expect(first.behind(() => ['q'])).toBeUndefined();
    expect(queues.arrive(waiting()).behind(() => ['other', 'q'])).toBe('q');
    queues.ended(() => ['q']);
    await asked;
    second.leave();
    expect(queues.waiting).toBe(0);
  });

  it('keep their place while they ask, and the next one asks when they leave', async () => {
    const queues = new ReservationQueues(WAIT_MS);
    const [first, second] = [queues.arrive(waiting()), queues.arrive(waiting())];
    const woken: string[] = [];
    const firstAsks = first.wait('q').then(() => woken.push('first'));
    const secondAsks = second.wait('q').then(() => woken.push('second'));
    queues.ended(() => ['q']);
    await firstAsks;
    expect(woken).toEqual(['first']);
    expect(second.behind(() => ['q'])).toBe('q');
    first.leave();
    await secondAsks;
    expect(woken).toEqual(['first', 'second']);
    second.leave();
  });

  it('ask again at once where money was given back while they asked', async () => {
    const queues = new ReservationQueues(WAIT_MS);
    const turn = queues.arrive(waiting());
    const asks = turn.wait('q');
    queues.ended(() => ['q']);
    await asks;
    queues.ended(() => ['q']);
    await turn.wait('q');
    turn.leave();
  });

  it('stand by their arrival in a queue that they come to from another one', async () => {
    const queues = new ReservationQueues(WAIT_MS);
    const [first, second] = [queues.arrive(waiting()), queues.arrive(waiting())];
    const secondAsks = second.wait('q');
    const firstAsks = first.wait('other');
    queues.ended(() => ['other']);
    await firstAsks;
    void first.wait('q');
    expect(second.behind(() => ['q'])).toBe('q');
    first.leave();
    await secondAsks;
    second.leave();
    expect(queues.waiting).toBe(0);
  });

  it('wait no longer than the request itself may take', async () => {
    const queues = new ReservationQueues(WAIT_MS);
    const turn = queues.arrive(waiting({ maxMs: 10 }));
    await turn.wait('q');
    expect(turn.isOver).toBe(true);
    turn.leave();
  });

  it.each([
    ['1,000 requests', MAX_WAITING_OF_PROCESS, 1],
    ['256 MiB of bodies', 4, MAX_WAITING_BYTES / 4],
  ])('are at most %s in a process', async (_, count, bytes) => {
    const queues = new ReservationQueues(WAIT_MS);
    const turns = Array.from({ length: count }, (_, at) =>
      queues.arrive(waiting({ accountId: `account ${at}`, bytes: () => bytes })),
    );
    for (const turn of turns) void turn.wait('q');
    const further = queues.arrive(waiting({ accountId: 'z' }));
    await further.wait('q');
    expect([further.isOver, queues.waiting]).toEqual([true, count]);
    for (const turn of turns.toReversed()) turn.leave();
    expect(queues.waiting).toBe(0);
  });

  it('leave when their client does', async () => {
    const queues = new ReservationQueues(WAIT_MS);
    const signal = new SignalSource();
    const turn = queues.arrive(waiting({ signal }));
    const waited = turn.wait('q');
    signal.abort(new Error('left'));
    await expect(waited).rejects.toMatchObject({ reason: 'client_closed' });
    turn.leave();
    expect(queues.waiting).toBe(0);
  });

  it('are not overtaken by one whose own wait is over, once anybody knows what is held', async () => {
    const queues = new ReservationQueues(WAIT_MS);
    const [first, second] = [queues.arrive(waiting()), queues.arrive(waiting({ maxMs: 1 }))];
    void first.wait('q', HELD);
    await second.wait('q');
    expect([second.isOver, second.behind(() => ['q']), second.heldIn('q')]).toEqual([true, 'q', HELD]);
    second.leave();
    first.leave();
    expect(queues.heldIn('q')).toBeUndefined();
  });

  it('are told at once that the gateway stops', async () => {
    const queues = new ReservationQueues(WAIT_MS);
    const [early, late] = [queues.arrive(waiting()), queues.arrive(waiting())];
    const waits = early.wait('q');
    queues.stop();
    await expect(waits).rejects.toMatchObject({ reason: 'shutting_down' });
    await expect(late.wait('q')).rejects.toMatchObject({ reason: 'shutting_down' });
  });

  it('in many queues ask again in turns', async () => {
    const queues = new ReservationQueues(WAIT_MS);
    const turns = Array.from({ length: 100 }, (_, at) =>
      queues.arrive(waiting({ accountId: `account ${at}` })),
    );
    const asked = turns.map((turn, at) => turn.wait(`queue ${at}`));
    await Promise.all(asked);
    for (const turn of turns) turn.leave();
  });
});
