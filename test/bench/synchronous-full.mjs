// Loaded before a server: opens its SQLite databases with FULL where it asks for NORMAL.
import Database from 'better-sqlite3';

const { pragma } = Database.prototype;
Database.prototype.pragma = function (source, options) {
  return pragma.call(this, source === 'synchronous = NORMAL' ? 'synchronous = FULL' : source, options);
};
