// A thread that checkpoints the database `workerData`, which waits for the disk. It answers each message, except the last
// one `end`, with the pages that the write-ahead log had; 0 when the checkpoint fails, as on a full disk.
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';

// Neither may be garbage collected: see connection.ts.
const connection = new SqliteDatabase(workerData, { fileMustExist: true });
const checkpoint = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort.on('message', (message) => {
  if (message === 'end') {
    connection.close();
    parentPort.close();
    return;
  }
  parentPort.postMessage(runCheckpoint());
});

function runCheckpoint() {
  try {
    return checkpoint.get().log;
  } catch {
    return 0;
  }
}
