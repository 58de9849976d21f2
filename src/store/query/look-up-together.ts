/** Within what a statement on SQLite may list. */
const MAX_TOGETHER = 64;

interface Waiting<Row> {
  readonly key: string;
  resolve(rows: readonly Row[]): void;
  reject(error: unknown): void;
}

/**
 * Makes a look-up of rows by one key. Look-ups of the same turn of the event loop share one query: on PostgreSQL a
 * round trip costs more than reading a row.
 */
export function lookUpTogether<Row>(
  read: (keys: readonly string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): (key: string) => Promise<readonly Row[]> {
  let waiting: Waiting<Row>[] = [];

  const readWaiting = (): void => {
    const all = waiting;
    waiting = [];
    for (let first = 0; first < all.length; first += MAX_TOGETHER) {
      void readFor(all.slice(first, first + MAX_TOGETHER));
    }
  };
  const readFor = async (some: readonly Waiting<Row>[]): Promise<void> => {
    try {
      const found = new Map<string, Row[]>(some.map(({ key }) => [key, []]));
      for (const row of await read([...found.keys()])) found.get(keyOf(row))?.push(row);
      for (const { key, resolve } of some) resolve(found.get(key) ?? []);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  };

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(readWaiting);
      waiting.push({ key, resolve, reject });
    });
}
