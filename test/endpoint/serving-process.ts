/** Started as a process of its own: serves the data directory on the port until it is killed. */
import { serve } from '../../src/cli/serve.js';
import { readConfig } from '../../src/config.js';

const [dataDir = '', port = '', catalogFile = ''] = process.argv.slice(3);
const config = readConfig({
  BYWAY_DATA_DIR: dataDir,
  HOST: '127.0.0.1',
  PORT: port,
  BYWAY_CATALOG: catalogFile,
  BYWAY_LOG_LEVEL: 'silent',
});
await serve(config, process.stdout);
