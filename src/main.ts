#!/usr/bin/env node
import { endWithReader } from './cli/output/output.js';
import { letYoungHeapGrow } from './cli/start/heap.js';
import { nameSourcesInStackTraces } from './cli/start/stack-traces.js';

endWithReader(process);
nameSourcesInStackTraces();

// All modules of a static import are read before the first of them runs, and the heap is kept well only then.
const { runByway } = await import('./cli/byway.js');

process.exitCode = await runByway(process.argv.slice(2), process);
// A server is ready by now, and serves from here on.
letYoungHeapGrow();
