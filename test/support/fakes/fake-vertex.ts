/** A local Google: its token service and Vertex AI, as the official clients know them, with failures by plan. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AtEnd,
  type Exchange,
  type Failures,
  type FakeServer,
  jsonOf,
  planFor,
  startFakeServer,
} from './fake-server.js';
import { PROJECT_ID, serviceAccount } from './fake-vertex/account.js';
import { type FakeError, googleError } from './fake-vertex/error.js';
import type { FakePlan, FakeRequest, PlannedContent } from './fake-vertex/plan.js';
import { serviceAt } from './fake-vertex/publishers.js';
import { tokenRefusal } from './fake-vertex/token.js';

export interface FakeVertex extends FakeServer {
  /** The JSON key of an account that the fake knows; `more` are other members than usual. */
  serviceAccount(more?: object): string;
  /** Every request except those for tokens, in order. */
  readonly requests: readonly FakeRequest[];
  /** The forms of the requests for tokens. */
  readonly tokenRequests: readonly string[];
  /** Every token that was issued. */
  readonly tokens: readonly string[];
  /** Sets the plans for further requests of this model. */
  plan(model: string, plan: PlannedContent): void;
  /** Sets the plans for further requests for tokens. */
  planTokens(plan: TokenPlan): void;
  /** A valid token, without a request. */
  token(): string;
  /** Invalidates all tokens so far. */
  expireTokens(): void;
}

/** The token service's response; by default a valid token for a valid assertion. */
export interface TokenPlan extends Failures {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expiresIn?: number;
  /** Issues a token that is never valid. */
  readonly isStillborn?: boolean;
}

interface State {
  readonly requests: FakeRequest[];
  readonly tokenRequests: string[];
  readonly tokens: string[];
  readonly valid: Set<string>;
  readonly plans: Map<string, PlannedContent>;
  tokenPlan: TokenPlan;
  readonly now: () => number;
}

/** Starts a fake that ends with the test, or when `atEnd` says so; `now` is its clock, in Unix milliseconds. */
export async function startFakeVertex(now: () => number = Date.now, atEnd?: AtEnd): Promise<FakeVertex> {
  const state: State = {
    requests: [],
    tokenRequests: [],
    tokens: [],
    valid: new Set(),
    plans: new Map(),
    tokenPlan: {},
    now,
  };
  const server = await startFakeServer(
    (exchange) =>
      exchange.request.url === '/token' ? giveToken(exchange, state, server.origin) : answer(exchange, state),
    atEnd,
  );
  return Object.assign(server, {
    serviceAccount: (more: object = {}) => serviceAccount(`${server.origin}/token`, more),
    requests: state.requests,
    tokenRequests: state.tokenRequests,
    tokens: state.tokens,
    plan: (model: string, plan: PlannedContent) => void state.plans.set(model, plan),
    planTokens: (plan: TokenPlan) => {
      state.tokenPlan = plan;
    },
    token: () => newToken(state),
    expireTokens: () => state.valid.clear(),
  });
}

const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token';

async function giveToken(
  { request, response, text, send }: Exchange,
  state: State,
  origin: string,
): Promise<void> {
  const plan = state.tokenPlan;
  state.tokenRequests.push(text);
  if (plan.delayMs !== undefined) await sleep(plan.delayMs);
  if (plan.reset === true) return void request.socket.destroy();
  const refusal = tokenRefusal(text, [`${origin}/token`, GOOGLE_TOKEN_URI], state.now());
  const { status, body } = refusal ?? {
    status: plan.status ?? 200,
    body: plan.body ?? (plan.status === undefined ? granted(state, plan) : {}),
  };
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...plan.headers });
  return send(plan, [JSON.stringify(body, null, 2)]);
}

function granted(state: State, { expiresIn = 3599, isStillborn = false }: TokenPlan): object {
  const access_token = newToken(state);
  if (isStillborn) state.valid.delete(access_token);
  return { access_token, expires_in: expiresIn, token_type: 'Bearer' };
}

function newToken({ tokens, valid }: State): string {
  const token = `ya29.c.fake-${tokens.length + 1}-0123456789`;
  tokens.push(token);
  valid.add(token);
  return token;
}

async function answer({ request, response, text, send }: Exchange, state: State): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = /^\{.*\}$/s.test(text) ? JSON.parse(text) : {};
  const [, location, path = ''] =
    /^\/v1\/projects\/fake-project\/locations\/([a-z0-9-]+)\/(.*)$/.exec(url) ?? [];
  const service = serviceAt(path, body, String(headers['anthropic-beta'] ?? ''));
  const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
  const refused =
    refusalOf(method, token, location, state) ?? speedRefusal(location, body) ?? bodyRefusal(service);
  const words = refused && JSON.stringify(refused.body);
  state.requests.push({ method, path: url, headers, text, body, refused: words });
  const plan = refused === undefined ? planFor(state.plans.get(service?.model ?? '') ?? {}, body) : {};
  if (plan.delayMs !== undefined) await sleep(plan.delayMs);
  if (plan.reset === true) return void request.socket.destroy();
  const refusal = refused ?? planned(plan);
  if (refusal !== undefined || service === undefined) {
    return refuse({ response, send }, plan, refusal ?? googleError(404, 'NOT_FOUND', 'Not found'));
  }
  const isStreamed = service.isStreamed && plan.isWhole !== true;
  response.writeHead(200, {
    'content-type': isStreamed ? 'text/event-stream' : 'application/json; charset=UTF-8',
    'x-vertex-ai-internal-prediction-backend': 'harpoon',
    ...(plan.encoding && { 'content-encoding': plan.encoding }),
    ...plan.headers,
  });
  if (isStreamed || plan.stallAfter === 0) response.flushHeaders();
  if (!isStreamed) return send(plan, [jsonOf(plan.answer ?? service.whole(plan), 2)]);
  return send(
    plan,
    framed(plan, () => service.events(plan)),
  );
}

type Refusing = Pick<Exchange, 'response' | 'send'>;

function refuse({ response, send }: Refusing, plan: FakePlan, { status, body }: FakeError): Promise<void> {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...plan.headers });
  return send(plan, [isText ? body : JSON.stringify(body, null, 2)]);
}

function refusalOf(
  method: string,
  token: string,
  location: string | undefined,
  { valid }: State,
): FakeError | undefined {
  if (method !== 'POST' || location === undefined) {
    return googleError(404, 'NOT_FOUND', `Not found (${PROJECT_ID})`);
  }
  if (valid.has(token)) return undefined;
  return googleError(
    401,
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ACCESS_TOKEN_TYPE_UNSUPPORTED' }],
  );
}

const FAST_LOCATIONS: ReadonlySet<unknown> = new Set(['global', 'us', 'eu']);

/** https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/partner-models/claude/fast-mode (2026-11-26) */
function speedRefusal(location: string | undefined, { speed }: { readonly speed?: unknown }) {
  return speed !== 'fast' || FAST_LOCATIONS.has(location)
    ? undefined
    : googleError(400, 'FAILED_PRECONDITION', `speed: fast is not supported in ${location}`);
}

function planned({ status, body }: FakePlan): FakeError | undefined {
  return status === undefined ? undefined : { status, body: body ?? {} };
}

function bodyRefusal(
  service: { readonly model: string; readonly violation: string | undefined } | undefined,
) {
  if (service?.model === 'no-such-model' || service?.model === 'gemini-no-such-model') {
    return googleError(
      404,
      'NOT_FOUND',
      `Publisher Model \`${service.model}\` was not found or your project does not have access to it.`,
    );
  }
  return service?.violation === undefined
    ? undefined
    : googleError(400, 'INVALID_ARGUMENT', service.violation);
}

/** Google ends its lines with a carriage return and a line feed. */
function* framed(plan: FakePlan, events: () => Iterable<string>): Generator<string> {
  do {
    const all = [...events()];
    for (const [index, event] of all.entries()) {
      const isBare = plan.isBlankLineMissing === true && index === all.length - 1;
      yield `${event.replaceAll('\n', '\r\n')}${isBare ? '' : '\r\n\r\n'}`;
    }
  } while (plan.isEndless === true);
}
