#!/usr/bin/env node
import { letYoungHeapGrow } from './cli/heap.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, such as `head`, is no failure.
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

// All modules of a static import are read before the first of them runs, and the heap is kept well only then.
const { runByway } = await import('./cli/byway.js');

process.exitCode = await runByway(process.argv.slice(2), process);
// A server is ready by now, and serves from here on.
letYoungHeapGrow();
