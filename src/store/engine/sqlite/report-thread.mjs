// A thread for reads of the database `workerData.file` that may take long. It answers each message, a statement and its
// parameters, with the names of the columns and the rows, all integers as bigints, or with what is wrong: so also where
// there are more than `workerData.maxRows`. After the last message, `end`, it ends.
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';

const { file, busyTimeoutMs, maxRows } = workerData;

// Neither the connection nor a statement may be collected, here either: see sqlite-connection.ts.
const connection = new SqliteDatabase(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
const statements = new Map();

parentPort.on('message', (wanted) => {
  if (wanted === 'end') {
    connection.close();
    parentPort.close();
    return;
  }
  parentPort.postMessage(answerTo(wanted));
});

function answerTo({ sql, parameters }) {
  try {
    const statement = statementOf(sql);
    return { columns: statement.columns().map(({ name }) => name), rows: rowsOf(statement, parameters) };
  } catch ({ code, message }) {
    return { code, message };
  }
}

/** Row by row: a thread that has used up its heap can be ended only between two of them. */
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
