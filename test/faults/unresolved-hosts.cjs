/**
 * Preloaded into a server: hosts of providers that credentials may name do not resolve, whatever the network of the test.
 * The error is that of a real look-up.
 */
const dns = require('node:dns');
const { syncBuiltinESMExports } = require('node:module');

const { lookup } = dns;
const isUnresolved = (hostname) =>
  hostname === 'oauth2.googleapis.com' || hostname.endsWith('.openai.azure.com');
dns.lookup = (hostname, ...more) =>
  lookup(isUnresolved(hostname) ? 'nonexistent.invalid' : hostname, ...more);
syncBuiltinESMExports();
