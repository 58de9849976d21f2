#!/usr/bin/env node
import './cli/heap.js';
import { runByway } from './cli/byway.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, such as `head`, is no failure.
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

process.exitCode = await runByway(process.argv.slice(2), process);
