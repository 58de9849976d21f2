// Sends requests as fast as they are answered: node closed.mjs SETTINGS. Prints how many, and how many a second.
import { readFileSync } from 'node:fs';
import grpc from '@grpc/grpc-js';
import { Pool } from 'undici';

const {
  protocol,
  method,
  url,
  headers,
  bodyFile,
  connections,
  seconds = Infinity,
  requests = Infinity,
} = JSON.parse(process.argv[2]);
const { origin, pathname, search, host } = new URL(url);
const body = bodyFile === undefined ? undefined : readFileSync(bodyFile);
const varies = body?.includes('{n}') ?? false;
const once = protocol === 'grpc' ? overGrpc() : overHttp();

const startedAt = performance.now();
const endsAt = startedAt + seconds * 1000;
let sent = 0;
let answered = 0;
let errors = 0;
await Promise.all(Array.from({ length: connections }, run));
const perSecond = answered / ((performance.now() - startedAt) / 1000);
process.stdout.write(JSON.stringify({ requests: answered, perSecond, errors }));
process.exit();

async function run() {
  while (sent < requests && performance.now() < endsAt) {
    const number = String(sent++);
    if (await once(varies ? body.toString().replaceAll('{n}', number) : body)) answered++;
    else errors++;
  }
}

function overHttp() {
  const pool = new Pool(origin, { connections });
  return async (content) => {
    const answer = await pool.request({ path: pathname + search, method, headers, body: content });
    await answer.body.dump({ limit: Infinity });
    return answer.statusCode < 400;
  };
}

function overGrpc() {
  const client = new grpc.Client(host, grpc.credentials.createInsecure());
  const metadata = new grpc.Metadata();
  if (headers.authorization !== undefined) metadata.set('authorization', headers.authorization);
  const message = body.subarray(5);
  const asIs = (value) => value;
  return () =>
    new Promise((resolve) => {
      client.makeUnaryRequest(pathname, asIs, asIs, message, metadata, (error) => resolve(error === null));
    });
}
