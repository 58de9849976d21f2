import { type PostgresServer, pidOf } from './server.js';

/** Another client may take the session of the first one between two looks, which hides the pooler for one round. */
const ROUNDS = 3;

const PLAIN = { first: [], writes: false, answerTimeoutMs: 10_000 };

/**
 * Whether something in front of the server hands a session to another client after each transaction: then two clients
 * that are connected at the same time meet the same session, or one of them two sessions. Throws as `open` does.
 */
export async function isPooledByTransaction(server: PostgresServer): Promise<boolean> {
  const { client: one } = await server.open(PLAIN);
  try {
    const sessionOf = async (client: typeof one) =>
      (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
    // A pooler tells clients a number of its own.
    if ((await sessionOf(one)) === pidOf(one)) return false;
    const { client: other } = await server.open(PLAIN);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const before = await sessionOf(one);
        await other.query('begin');
        const others = await sessionOf(other);
        const after = await sessionOf(one);
        await other.query('rollback');
        if (others === before || before !== after) return true;
      }
      return false;
    } finally {
      void other.end().catch(() => {});
    }
  } finally {
    void one.end().catch(() => {});
  }
}
