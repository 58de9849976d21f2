#!/usr/bin/env node
import { endWithReader } from './cli/output/output.js';
import { nameSourcesInStackTraces } from './cli/start/stack-traces.js';
import { endStart } from './cli/start/v8-flags.js';
import { refuseDebugger } from './server/health/signals.js';

endWithReader(process);
refuseDebugger(process);
nameSourcesInStackTraces();

// Imported dynamically: static imports would all load before v8-flags.js has set its flags.
const { runByway } = await import('./cli/byway.js');

process.exitCode = await runByway(process.argv.slice(2), process, endStart);
