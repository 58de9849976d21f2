/**
 * Asks a host for its models, and finds the API root that an address stands for: `docs/catalog.md#your-own-provider`.
 */
import { Problem } from '../../base/problem.js';
import { hostHeaders } from '../../byok/keys/host-headers.js';
import type { AdapterName } from '../../catalog/types.js';
import { members, textOf } from '../../formats/json.js';
import type { Tenancy } from '../../inference/ports/adapter.js';
import { UpstreamFailure } from '../../inference/ports/failure.js';
import { shortAnswerJson } from '../common/answer-json.js';
import type { Http } from '../http/http.js';
import { unansweredWords } from '../http/network-failure.js';
import { readText } from '../http/read-body.js';
import { type HostedModel, readModelList, withList, withShown } from './model-list.js';
import { possibleRoots } from './roots.js';

/** The host to ask, and how. */
export interface Host {
  readonly url: string;
  readonly adapter: keyof typeof HEADERS;
  /** null = the host takes none. */
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Discovered {
  /** Candidates for `base_url`, the most likely first. If a root has the list of models, it is the first one. */
  readonly roots: readonly [string, ...string[]];
  /** In the host's order; undefined if it has no list of models. */
  readonly models: readonly HostedModel[] | undefined;
}

/** Timeout of one answer. A list comes at once, however long a model takes to load. */
const TIMEOUT_MS = 15_000;

/** Lists of a thousand models have 400 KB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Maximum of models that are asked for one by one. */
const MAX_SHOWN = 200;

const OPERATOR: Tenancy = { accountId: 'operator', isByok: false, mayWait: true };

/**
 * Tries the roots that the address may stand for until one has a list of models. If none has, the most likely root is
 * returned without a list, for hosts that have none. Throws a `Problem` that says what is wrong if nothing answers, if
 * the host redirects, or if it refuses the credential. The Problem contains no credential and no header.
 */
export async function discover(http: Http, host: Host): Promise<Discovered> {
  const roots = possibleRoots(host.url);
  const seen: Seen[] = [];
  for (const root of roots) {
    const answer = await ask(http, host, at(root, '/models'));
    const models = answer.status === 200 ? readModelList(answer.json) : undefined;
    if (models !== undefined) return { roots: [root], models: await detailed(http, host, root, models) };
    seen.push({ ...answer, url: at(root, '/models') });
  }
  throwRefusal(host, seen);
  return { roots, models: undefined };
}

/** The headers of adapters whose hosts can be asked. A null key adds none. */
const HEADERS = {
  openai: (apiKey: string | null) => (apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  anthropic: (apiKey: string | null) => ({
    'anthropic-version': '2023-06-01',
    ...(apiKey !== null && { 'x-api-key': apiKey }),
  }),
} satisfies { readonly [A in AdapterName]?: (apiKey: string | null) => Readonly<Record<string, string>> };

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  /** undefined if the body is not JSON. */
  readonly json: unknown;
}

interface Seen extends Answer {
  readonly url: URL;
}

function at(root: string, path: string): URL {
  const url = new URL(root);
  url.pathname = `${url.pathname === '/' ? '' : url.pathname}${path}`;
  return url;
}

/** If every answer is the same refusal, it is about the caller and not about the path. */
function throwRefusal({ apiKey }: Host, seen: readonly Seen[]): void {
  const denied = seen.find(({ status }) => status === 401 || status === 403);
  if (denied !== undefined) {
    const said = `${shown(denied.url)} answers ${denied.status}`;
    const advice =
      apiKey === null
        ? 'the host wants a key (--key-from-stdin) or a header (--header)'
        : 'the host refuses the key, or wants a header (--header)';
    throw new Problem('upstream_failed', `${said}: ${advice}`);
  }
  const moved = seen.find(({ status }) => status >= 300 && status < 400);
  if (moved !== undefined) {
    const to = moved.location === undefined ? 'elsewhere' : `to ${shown(new URL(moved.location, moved.url))}`;
    throw new Problem(
      'upstream_failed',
      `${shown(moved.url)} sends the caller ${to}: give the address that answers itself`,
    );
  }
  const failed = seen.find(({ status }) => status >= 500);
  if (failed === undefined) return;
  const message = textOf(members(members(failed.json).error).message);
  const words = message === undefined ? '' : ` (${message.slice(0, 200)})`;
  throw new Problem(
    'upstream_failed',
    `${shown(failed.url)} answers ${failed.status}${words}: try again once the server is ready`,
  );
}

/** The URL without parts that may be secret. */
function shown({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

async function ask(http: Http, host: Host, url: URL, body?: object): Promise<Answer> {
  const { adapter, apiKey, headers } = host;
  try {
    const answer = await http.send({
      method: body === undefined ? 'GET' : 'POST',
      url,
      headers: {
        accept: 'application/json',
        ...HEADERS[adapter](apiKey),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      tenancy: OPERATOR,
      hostHeaders: hostHeaders(url.origin, headers),
    });
    const { text, isCut } = await readText(answer.body, MAX_ANSWER_BYTES);
    const { location } = answer.headers;
    return { status: answer.status, location, json: isCut ? undefined : jsonOf(text) };
  } catch (error) {
    throw new Problem('upstream_failed', `${url.origin} does not answer: ${reasonOf(error)}`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return shortAnswerJson(text);
  } catch {
    return undefined;
  }
}

/** Explains that nothing listens there. For a process in a container, localhost is the container. */
function reasonOf(error: unknown): string {
  const words = unansweredWords(error, TIMEOUT_MS);
  const isRefused = error instanceof UpstreamFailure && error.network?.code === 'ECONNREFUSED';
  return isRefused ? `${words}; from a container, the machine is host.docker.internal` : words;
}

/** Adds what common servers say about their models elsewhere. None of it is required. */
async function detailed(
  http: Http,
  host: Host,
  root: string,
  models: readonly HostedModel[],
): Promise<readonly HostedModel[]> {
  if (models.every(({ contextLength }) => contextLength !== null) || models.length > MAX_SHOWN) return models;
  const { origin } = new URL(root);
  const quietly = (path: string, body?: object) =>
    ask(http, host, new URL(path, origin), body).catch(() => undefined);
  const version = await quietly('/api/version');
  if (version?.status !== 200 || textOf(members(version.json).version) === undefined) {
    const list = await quietly('/api/v0/models');
    return list?.status === 200 ? withList(models, list.json) : models;
  }
  const shownModels: HostedModel[] = [];
  for (const model of models) {
    const answer = await quietly('/api/show', { model: model.id });
    shownModels.push(answer?.status === 200 ? withShown(model, answer.json) : model);
  }
  return shownModels;
}
