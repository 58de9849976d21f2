/** Started as a process of its own: serves the data directory on the port until it is killed. */
import { runByway } from '../../src/cli/byway.js';

const [dataDir = '', port = '', catalogFile = '', databaseUrl = ''] = process.argv.slice(2);
Object.assign(process.env, {
  BYWAY_DATA_DIR: dataDir,
  BYWAY_DATABASE_URL: databaseUrl,
  HOST: '127.0.0.1',
  PORT: port,
  BYWAY_CATALOG: catalogFile,
  BYWAY_LOG_LEVEL: 'silent',
});
process.exitCode = await runByway(['serve'], process);
