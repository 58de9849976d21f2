/** A forward proxy on this machine: CONNECT and requests with a whole URL (RFC 9110, sections 7.2 and 9.3.6), recorded. */
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ForwardProxy {
  readonly url: string;
  /** `CONNECT host:port`, or method and URL. */
  readonly requests: string[];
  /** Answers all that comes with this status; undefined = serves it. */
  status: number | undefined;
}

interface ForwardProxyOptions {
  /** Demanded as `Proxy-Authorization: Basic`. */
  readonly credentials?: string;
  /** Where tunnels lead, whatever they ask for. */
  readonly leadsTo?: number;
}

/** Starts one that ends with the test. */
export async function startForwardProxy({
  credentials,
  leadsTo,
}: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const expected =
    credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const refusal = (given: string | undefined) =>
    proxy.status ?? (expected !== undefined && given !== expected ? 407 : undefined);
  const server = createServer((incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    const { 'proxy-authorization': given, ...headers } = incoming.headers;
    const status = refusal(given);
    if (status !== undefined) {
      outgoing.writeHead(status, { 'proxy-authenticate': 'Basic realm="x"' }).end('refused by the proxy');
      return;
    }
    const passed = request(incoming.url ?? '', { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (incoming, client: Socket) => {
    requests.push(`CONNECT ${incoming.url}`);
    const status = refusal(incoming.headers['proxy-authorization']);
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const target = new URL(`http://${incoming.url}`);
    const upstream = connect(
      leadsTo ?? Number(target.port || 80),
      leadsTo === undefined ? target.hostname : '127.0.0.1',
    );
    client.on('close', () => {
      upstream.destroy();
    });
    client.on('end', () => client.destroy());
    client.on('error', () => undefined);
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => client.destroy());
    upstream.on('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const proxy: ForwardProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    status: undefined,
  };
  return proxy;
}
