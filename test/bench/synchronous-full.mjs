// Loaded before a server: opens its SQLite databases with FULL where it asks for NORMAL.
import Database from 'better-sqlite3';

const { exec } = Database.prototype;
Database.prototype.exec = function (sql) {
  return exec.call(this, sql === 'PRAGMA synchronous = NORMAL' ? 'PRAGMA synchronous = FULL' : sql);
};
