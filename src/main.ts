#!/usr/bin/env node
import { endWithReader } from './cli/output/output.js';
import { letYoungHeapGrow } from './cli/start/heap.js';
import { nameSourcesInStackTraces } from './cli/start/stack-traces.js';

endWithReader(process);
nameSourcesInStackTraces();

// Imported dynamically: static imports would all load before heap.js has set its V8 flags.
const { runByway } = await import('./cli/byway.js');

process.exitCode = await runByway(process.argv.slice(2), process);
// By now a server is ready to serve.
letYoungHeapGrow();
