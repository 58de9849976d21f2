/** A local Google for batches: its token service, its storage and Vertex AI's jobs, with errors that tests inject. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeJobs } from './fake-google/jobs.js';
import { FakeStorage } from './fake-google/storage.js';
import { answerStorage, isStoragePath, replyTo } from './fake-google/storage-http.js';
import { PROJECT_ID, serviceAccount } from './fake-vertex/account.js';
import { type FakeError, googleError } from './fake-vertex/error.js';
import { tokenRefusal } from './fake-vertex/token.js';

/** One request as it came. */
export interface GoogleRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly bodyBytes: number;
}

/** An error for the next requests of a kind, or a delay. */
export interface InjectedError {
  /** Requests whose method and path match. */
  readonly when: RegExp;
  /** How many of them; 1 when left out. */
  readonly times?: number;
  /** A response of this status, with this body or the usual one. */
  readonly status?: number;
  readonly body?: object;
  /** The connection breaks, before or after the request is executed; `late`: it is executed some seconds later. */
  readonly reset?: 'before' | 'after' | 'late';
  /** Awaited before the request is executed. */
  readonly until?: Promise<unknown>;
}

export interface FakeGoogle {
  readonly origin: string;
  readonly storage: FakeStorage;
  readonly jobs: FakeJobs;
  readonly requests: readonly GoogleRequest[];
  /** How many requests their client has left before they were answered whole. */
  leftBehind(): number;
  /** The JSON key of an account that it knows; `more` are other members than usual. */
  serviceAccount(more?: object): string;
  injectError(error: InjectedError): void;
  /** How many tokens it has given. */
  tokensGiven(): number;
  /** A valid token, without a request. */
  token(): string;
  /** Invalidates all tokens so far. */
  expireTokens(): void;
  stop(): Promise<void>;
}

interface State {
  readonly storage: FakeStorage;
  readonly jobs: FakeJobs;
  readonly requests: GoogleRequest[];
  readonly tokens: Set<string>;
  readonly errors: { readonly error: InjectedError; left: number }[];
  given: number;
  leftBehind: number;
}

/** Starts one; the caller stops it. */
export async function startFakeGoogle(): Promise<FakeGoogle> {
  const storage = new FakeStorage(PROJECT_ID);
  const jobs = new FakeJobs(storage);
  const state: State = {
    storage,
    jobs,
    requests: [],
    tokens: new Set(),
    errors: [],
    given: 0,
    leftBehind: 0,
  };
  const server = createServer((request, response) => void handle(request, response, state, origin));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    storage,
    jobs,
    requests: state.requests,
    leftBehind: () => state.leftBehind,
    serviceAccount: (more = {}) => serviceAccount(`${origin}/token`, more),
    injectError: (error) => void state.errors.push({ error, left: error.times ?? 1 }),
    tokensGiven: () => state.given,
    token: () => newToken(state),
    expireTokens: () => state.tokens.clear(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  state: State,
  origin: string,
): Promise<void> {
  const { method = '', url = '' } = request;
  response.once('close', () => {
    if (!response.writableEnded) state.leftBehind += 1;
  });
  const body = await read(request);
  if (url === '/token') {
    send(response, tokenAnswer(body.toString(), state, origin));
    return;
  }
  state.requests.push({ method, path: url, bodyBytes: body.length });
  const error = errorFor(`${method} ${url}`, state);
  await error?.until;
  if (error?.reset === 'after') act(state, request, body);
  if (error?.reset === 'late') setTimeout(() => act(state, request, body), LATE_MS);
  if (error?.reset !== undefined) request.socket.destroy();
  else if (error?.status !== undefined)
    send(response, { ...googleError(error.status, 'INTERNAL', 'Internal error.'), ...bodyOf(error) });
  else if (!isAuthenticated(request, state)) send(response, UNAUTHENTICATED);
  else if (isStoragePath(url)) answerStorage(state.storage, request, response, body);
  else send(response, answerJobs(method, url, body, state));
}

const LATE_MS = 3000;

/** Executes the request without a response. */
function act(state: State, request: IncomingMessage, body: Buffer): void {
  const { method = '', url = '' } = request;
  if (isStoragePath(url)) replyTo(state.storage, request, body);
  else answerJobs(method, url, body, state);
}

function isAuthenticated({ headers }: IncomingMessage, { tokens }: State): boolean {
  return tokens.has(headers.authorization?.replace(/^Bearer /, '') ?? '');
}

function bodyOf({ body }: InjectedError): { readonly body?: object } {
  return body === undefined ? {} : { body };
}

const UNAUTHENTICATED = googleError(
  401,
  'UNAUTHENTICATED',
  'Request had invalid authentication credentials.',
);

function errorFor(line: string, { errors }: State): InjectedError | undefined {
  const found = errors.find(({ error, left }) => left > 0 && error.when.test(line));
  if (found !== undefined) found.left -= 1;
  return found?.error;
}

const JOBS = /^\/v1\/projects\/([^/]+)\/locations\/([^/]+)\/batchPredictionJobs$/;

function answerJobs(method: string, url: string, body: Buffer, state: State): FakeError {
  const answer = jobsAnswer(method, url, body, state);
  return 'status' in answer ? (answer as FakeError) : { status: 200, body: answer };
}

function jobsAnswer(method: string, url: string, body: Buffer, { jobs }: State): object {
  const { pathname, searchParams } = new URL(url, 'http://fake');
  const [, project = '', location = ''] = JOBS.exec(pathname) ?? [];
  if (project === '') return jobs.get(PROJECT_ID, pathname.replace('/v1/', ''));
  if (project !== PROJECT_ID) return googleError(403, 'PERMISSION_DENIED', 'Permission denied on project.');
  if (method === 'POST') return jobs.create(project, location, JSON.parse(body.toString()));
  return jobs.list(project, searchParams.get('filter') ?? '');
}

function tokenAnswer(form: string, state: State, origin: string): FakeError {
  const refusal = tokenRefusal(form, [`${origin}/token`], Date.now());
  if (refusal !== undefined) return refusal;
  return { status: 200, body: { access_token: newToken(state), expires_in: 3599, token_type: 'Bearer' } };
}

function newToken(state: State): string {
  state.given += 1;
  const token = `ya29.c.google-${state.given}-0123456789`;
  state.tokens.add(token);
  return token;
}

function send(response: ServerResponse, { status, body }: FakeError): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' });
  response.end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The client has gone.
  }
  return Buffer.concat(chunks);
}
