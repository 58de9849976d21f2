import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { pathToFileURL } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { KeyService } from '../../gen/byway/v1/keys_pb.js';
import { ConfigError } from '../../src/config/config.js';
import { loadTlsIdentity, reloadTlsIdentity } from '../../src/server/port/tls.js';
import { BIN, buildByway } from '../support/byway.js';
import { startChild } from '../support/child-process.js';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { GrpcPeer } from './grpc-transport.js';
import { connectHttp2, selfSigned, start, stream } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'byway-tls-'));
beforeAll(buildByway, 180_000);
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

const identity = selfSigned();
const ca = identity.cert;
const files = { certFile: file('cert.pem', identity.cert), keyFile: file('key.pem', identity.key) };
const env = { BYWAY_TLS_CERT: files.certFile, BYWAY_TLS_KEY: files.keyFile };

describe('a gateway with a certificate', () => {
  let gateway: TestGateway & { readonly stop: () => Promise<void> };
  let host: string;
  beforeAll(async () => {
    gateway = await launchGateway({ env });
    host = `localhost:${new URL(gateway.url).port}`;
  });
  afterAll(() => gateway.stop());

  it('serves REST over HTTP/1.1 and HTTP/2, with links that say https', async () => {
    const path = '/api/v1/models?limit=1';
    const overHttp1 = await new Promise<string>((resolve, reject) => {
      const sent = https.get(`https://${host}${path}`, { ca }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject);
    });
    const session = connectHttp2(`https://${host}`, { ca });
    const overHttp2 = await stream(session, { ':path': path });
    for (const text of [overHttp1, overHttp2.body]) {
      expect(JSON.parse(text).links.next).toBe(`https://${host}/api/v1/models?offset=1&limit=1`);
    }
    session.destroy();
  });

  it('serves Connect and gRPC', async () => {
    const options = { baseUrl: `https://${host}`, nodeOptions: { ca } };
    const transports = [
      createConnectTransport({ ...options, httpVersion: '1.1' }),
      createConnectTransport({ ...options, httpVersion: '2' }),
      createGrpcTransport(options),
    ];
    const headers = { authorization: `Bearer ${gateway.managementKey}` };
    for (const transport of transports) {
      const { data } = await createClient(KeyService, transport).listKeys({}, { headers });
      expect(data.map(({ hash }) => hash)).toEqual([gateway.apiKeyHash]);
    }
  });

  it('serves gRPC to a client of another make', async () => {
    const health = 'grpc-health-check/proto/health/v1/health.proto';
    const credentials = grpc.credentials.createSsl(ca);
    const peer = new GrpcPeer(host, health, 'grpc.health.v1.Health', credentials);
    expect(await peer.unary('Check', { service: '' })).toEqual({ status: 'SERVING' });
    peer.close();
  });

  it('serves nothing in cleartext', async () => {
    await expect(fetch(`http://${host}/healthz`)).rejects.toThrow();
  });
});

describe('files that cannot be used stop the start with one line that names the variable', () => {
  const other = selfSigned();
  const CERT = 'BYWAY_TLS_CERT must be a file with a certificate in PEM';
  const KEY = 'BYWAY_TLS_KEY must be a file with a private key in PEM, without a passphrase';
  const { privateKey: locked } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
  });

  it.each([
    [
      { ...files, certFile: '/nowhere.pem' },
      'BYWAY_TLS_CERT: cannot read /nowhere.pem: it does not exist (ENOENT)',
    ],
    [{ ...files, keyFile: folder }, `BYWAY_TLS_KEY: cannot read ${folder}: it is a folder (EISDIR)`],
    [{ ...files, certFile: file('empty.pem', '') }, CERT],
    [{ ...files, certFile: file('text.pem', 'a certificate') }, CERT],
    [{ ...files, certFile: files.keyFile }, CERT],
    [{ ...files, keyFile: join(folder, 'empty.pem') }, KEY],
    [{ ...files, keyFile: files.certFile }, KEY],
    [{ ...files, keyFile: file('locked.pem', locked) }, KEY],
    [
      { ...files, keyFile: file('other-key.pem', other.key) },
      'BYWAY_TLS_KEY must be the private key of the certificate in BYWAY_TLS_CERT',
    ],
  ])('%j', (given, message) => {
    expect(() => loadTlsIdentity(given)).toThrow(new ConfigError(message));
  });
});

describe('a renewed certificate', () => {
  const renewed = selfSigned();
  const quiet = { info: () => {}, error: vi.fn() };

  it('is used for new connections, while open ones go on', async () => {
    const { app, port } = await start({ tls: identity });
    const session = connectHttp2(`https://localhost:${port}`, { ca });
    await stream(session, { ':path': '/version' });
    const keyFile = file('renewed-key.pem', renewed.key);
    reloadTlsIdentity(app.server, { certFile: file('renewed.pem', renewed.cert), keyFile }, quiet);
    expect(await certificateOf(port)).toEqual(der(renewed.cert));
    expect((await stream(session, { ':path': '/version' })).status).toBe(200);
    session.destroy();
    await app.close();
  });

  it('that cannot be used is logged, and the old one stays', async () => {
    const { app, port } = await start({ tls: identity });
    reloadTlsIdentity(app.server, { ...files, certFile: file('broken.pem', 'x') }, quiet);
    expect(quiet.error).toHaveBeenCalledOnce();
    expect(await certificateOf(port)).toEqual(der(identity.cert));
    await app.close();
  });

  it('comes with SIGHUP to a running process, whose first words name its https address', async () => {
    const certFile = file('served.pem', identity.cert);
    const keyFile = file('served-key.pem', identity.key);
    const settings = { BYWAY_TLS_CERT: certFile, BYWAY_TLS_KEY: keyFile, HOST: '127.0.0.1', PORT: '0' };
    for (const [name, value] of Object.entries({ ...settings, BYWAY_DATA_DIR: join(folder, 'data') })) {
      vi.stubEnv(name, value);
    }
    const child = startChild(pathToFileURL(BIN), 'serve');
    vi.unstubAllEnvs();
    const lines = child.lines[Symbol.asyncIterator]();
    const lineWith = async (text: string): Promise<string> => {
      for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
        if (next.value.includes(text)) return next.value;
      }
      throw new Error(`the process ended without a word of ${text}`);
    };
    const port = Number(/https:\/\/localhost:(\d+)/.exec(await lineWith('Byway is ready'))?.[1]);
    expect(await certificateOf(port)).toEqual(der(identity.cert));
    file('served.pem', renewed.cert);
    file('served-key.pem', renewed.key);
    child.process.kill('SIGHUP');
    await lineWith('reloaded');
    expect(await certificateOf(port)).toEqual(der(renewed.cert));
    child.process.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });
});

/** The certificate that the port shows, in DER. */
function certificateOf(port: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

function der(pem: Buffer): Buffer {
  return Buffer.from(pem.toString().replace(/-----.*-----|\s/g, ''), 'base64');
}
