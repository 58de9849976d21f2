// Runs one TypeScript module in a plain node process: node run-typescript.mjs FILE [ARGUMENTS...]
import { createViteServer } from 'vitest/node';
import { build, builtModules } from './built-modules.mjs';

build();
const loader = await createViteServer({
  configFile: false,
  logLevel: 'error',
  plugins: [builtModules()],
  server: { middlewareMode: true, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true, include: [] },
});
// The module gets the same arguments as in a process of its own.
process.argv.splice(1, 1);
await loader.ssrLoadModule(process.argv[1]);
