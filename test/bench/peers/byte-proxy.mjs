// A server that parses nothing: it forwards the bytes of a connection to the provider's, and back.
import { connect, createServer } from 'node:net';
import { listen, settings } from './settings.mjs';

const { hostname, port } = new URL(settings.origin);

const server = createServer({ noDelay: true }, (client) => {
  const provider = connect({ host: hostname, port: Number(port), noDelay: true });
  client.pipe(provider).pipe(client);
  client.on('error', () => provider.destroy());
  provider.on('error', () => client.destroy());
});
listen(server);
