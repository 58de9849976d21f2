// A thread for long reads of the database `workerData.file`. It answers each message, a statement with its parameters,
// with the column names and the rows, all integers as bigints, or with an error, also for more than `workerData.maxRows`
// rows. It ends after the message `end`.
import { constants, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';

const { file, busyTimeoutMs, cacheKib, maxRows } = workerData;

// Where both want the same processor, chats come first. On Linux alone, 0 means the calling thread, elsewhere the process.
if (platform() === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);

// Neither the connection nor a statement may be garbage collected: see connection.ts.
const connection = new SqliteDatabase(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
connection.exec(`PRAGMA cache_size = -${cacheKib}`);
const statements = new Map();

parentPort.on('message', (message) => {
  if (message === 'end') {
    connection.close();
    parentPort.close();
    return;
  }
  parentPort.postMessage(answerTo(message));
});

function answerTo({ sql, parameters }) {
  try {
    const statement = statementOf(sql);
    return { columns: statement.columns().map(({ name }) => name), rows: rowsOf(statement, parameters) };
  } catch ({ code, message }) {
    return { code, message };
  }
}

/** Row by row: a thread that has used up its heap can be ended only between two rows. */
function rowsOf(statement, parameters) {
  const rows = [];
  for (const row of statement.iterate(...parameters)) {
    if (rows.length >= maxRows) throw new Error(`a read gives more than ${maxRows} rows; read in pages`);
    rows.push(row);
  }
  return rows;
}

function statementOf(sql) {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const statement = connection.prepare(sql).safeIntegers().raw();
  statements.set(sql, statement);
  return statement;
}
