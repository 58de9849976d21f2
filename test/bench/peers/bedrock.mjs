// The tests' Bedrock, behind a port of our choice.
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';
import { listen } from './settings.mjs';

const loader = await createViteServer({
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true, include: [] },
});
const module = fileURLToPath(new URL('../../support/fakes/fake-bedrock/serve.ts', import.meta.url));
const { serveFakeBedrock } = await loader.ssrLoadModule(module);
const { baseUrl } = await serveFakeBedrock();
const port = Number(new URL(baseUrl).port);

const server = createServer({ noDelay: true }, (client) => {
  const fake = connect({ port, host: '127.0.0.1', noDelay: true });
  client.pipe(fake).pipe(client);
  client.on('error', () => fake.destroy());
  fake.on('error', () => client.destroy());
});
listen(server);
