import { createServer } from 'node:net';

// Below the ports that systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere), of which any may be taken
// before who was told a port listens at it, and again while a server restarts. None here is one that fetch refuses.
const LOWEST = 20_000;
const HIGHEST = 32_000;
const MAX_TRIES = 100;

/** A port of 127.0.0.1 that nothing listens at, for a process that is told where to listen. */
export async function freePort() {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${LOWEST} to ${HIGHEST} is free`);
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
