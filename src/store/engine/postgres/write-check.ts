import { performance } from 'node:perf_hooks';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../schema/schema.js';
import { isDiskFull, stateOf } from './connection/errors.js';

/** A write that is this young proves that the next one would be taken. */
const PROVEN_MS = 1_000;

/** How long a disk counts as full, where this user may not try it with a temporary table. */
const FULL_MS = 5_000;

/**
 * Refused as an admission and a settlement would be, and waiting as they would: by a standby, a read-only server, a missing
 * permission, a lock of somebody else, a disk without room for the log. Nothing is written to a table.
 */
const WRITE = sql`with
    revised as (update revision set value = value where false returning 1),
    reserved as (insert into reservation select * from reservation where false returning 1),
    ended as (delete from reservation where false returning 1),
    noted as (insert into stream_journal select * from stream_journal where false returning 1),
    recorded as (insert into generation select * from generation where false returning 1),
    charged as (insert into ledger_entry select * from ledger_entry where false returning 1),
    counted as (update spend_total set subject = subject where false returning 1),
    opened as (insert into spend_total select * from spend_total where false returning 1),
    rolled as (insert into usage_rollup select * from usage_rollup where false returning 1),
    dated as (insert into usage_daily select * from usage_daily where false returning 1)
  select pg_logical_emit_message(true, 'byway', '')`;

/** Takes a mebibyte of the disk and gives it back. */
const TAKE_ROOM = sql`create temporary table byway_room on commit drop as
  select repeat(md5(n::text), 48) as text from generate_series(1, 700) as n`;

/** Whether writes would be taken now, at the cost of one small write at most, and none while others are made. */
export class WriteCheck {
  #wroteAt = Number.NEGATIVE_INFINITY;
  /** When a write was refused for want of room last; undefined when one was taken since. */
  #fullAt: number | undefined;

  wrote(): void {
    this.#wroteAt = performance.now();
    this.#fullAt = undefined;
  }

  failed(error: unknown): void {
    this.#wroteAt = Number.NEGATIVE_INFINITY;
    if (isDiskFull(error)) this.#fullAt = performance.now();
  }

  /** `transaction` runs writes of its own. Throws as these do. */
  async check(writer: Kysely<Tables>, transaction: Kysely<Tables>): Promise<void> {
    if (performance.now() - this.#wroteAt < PROVEN_MS) return;
    await WRITE.execute(writer);
    if (this.#fullAt === undefined) return;
    try {
      await transaction.transaction().execute((tx) => TAKE_ROOM.execute(tx));
    } catch (error) {
      const isUntried = stateOf(error) === '42501' && performance.now() - this.#fullAt > FULL_MS;
      if (!isUntried) throw error;
    }
    this.#fullAt = undefined;
  }
}
