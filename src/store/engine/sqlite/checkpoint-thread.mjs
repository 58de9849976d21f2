// A thread for what waits for the disk. On each message but the last, `end`, it moves what is committed from the
// write-ahead log of the database `workerData` into its file, and answers with the pages that the log had: 0 where that
// can't be done now, as on a full disk.
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';

// Neither may be collected, here either: see sqlite-connection.ts.
const connection = new SqliteDatabase(workerData, { fileMustExist: true });
const checkpoint = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort.on('message', (wanted) => {
  if (wanted === 'end') {
    connection.close();
    parentPort.close();
    return;
  }
  parentPort.postMessage(pagesMoved());
});

function pagesMoved() {
  try {
    return checkpoint.get().log;
  } catch {
    return 0;
  }
}
