/**
 * Preloaded into a server: provokes uncaught errors. SIGUSR2 throws and rejects outside of any request; decompression
 * throws in a callback and never calls back.
 */
const { syncBuiltinESMExports } = require('node:module');
const zlib = require('node:zlib');

process.on('SIGUSR2', () => {
  setImmediate(() => {
    throw Object.assign(new Error('thrown with canary-7d1f\n    at canary-7d1f'), { extra: 'canary-7d1f' });
  });
  Promise.reject(new TypeError('rejected with canary-7d1f'));
  Promise.reject('canary-7d1f');
});

zlib.gunzip = () => {
  setImmediate(() => {
    throw new RangeError('lost with canary-7d1f');
  });
};
syncBuiltinESMExports();
