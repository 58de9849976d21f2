import { systemClock } from '../base/clock.js';
import { nearestNames } from '../base/nearest.js';
import { invalid, Problem } from '../base/problem.js';
import { keylessCredential } from '../byok/kinds/bare-key.js';
import { type Credential, type CredentialRules, parseCredential } from '../byok/kinds/credential.js';
import { endpointToTest } from '../byok/trial/test-endpoint.js';
import type { Catalog } from '../catalog/assembled/catalog.js';
import type { Endpoint, Provider } from '../catalog/types.js';
import type { Gateway } from '../compose/gateway.js';
import { type Probed, probe } from '../inference/probe/probe.js';
import { adapterCredential } from '../providers/credentials.js';
import { regionsCalledWith, singleRegion } from '../routing/plan/model-context.js';
import type { Attempt } from '../routing/types.js';
import type { Terminal } from './output/command-line.js';
import { type CommandOutcome, report } from './output/outcome.js';
import { tableLines } from './output/table.js';
import { readCredential } from './support/read-credential.js';
import { withGateway } from './support/with-gateway.js';

export interface ProbeOptions {
  readonly model?: string;
  readonly keyFromStdin?: boolean;
}

/** Fails where a call failed or the provider differs. What it prints has no credential in it. */
export async function probeProvider(
  terminal: Terminal,
  slug: string,
  { model, keyFromStdin = false }: ProbeOptions,
): Promise<CommandOutcome> {
  const text = keyFromStdin ? await readCredential(terminal) : undefined;
  return withGateway(terminal, async (gateway, rules) => {
    const catalog = await gateway.router.catalogs.current();
    const provider = providerNamed(catalog, slug);
    const credential =
      text === undefined ? await sharedCredential(gateway, provider) : parsed(provider, text, rules);
    const endpoint = endpointFor(catalog, provider, credential, model);
    const target = catalog.resolve(endpoint.modelId)?.model;
    if (target === undefined) throw noEndpoint(slug);
    const openCredential = async (attempt: Attempt) =>
      adapterCredential(credential, attempt.endpoint.modelId, catalog.resolveId);
    const attempt = attemptAt(endpoint, provider, credential, target.reasoning);
    const results = await probe(
      {
        adapters: gateway.adapters,
        openCredential,
        openHeaders: (one) => gateway.credentials.headersOf(one),
        clock: systemClock,
      },
      attempt,
      target,
    );
    return outcomeOf(slug, endpoint, results);
  });
}

function providerNamed({ providers }: Catalog, slug: string): Provider {
  const provider = providers.get(slug);
  if (provider !== undefined) return provider;
  const [nearest] = nearestNames(slug, providers.keys());
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new Problem('not_found', `there is no provider ${slug}${hint}`);
}

async function sharedCredential(
  { credentials }: Gateway,
  { slug, adapter, credential }: Provider,
): Promise<Credential> {
  const opened = await credentials.shared(slug, adapter);
  const keyless = credential === 'none' ? keylessCredential(adapter) : undefined;
  if (opened === undefined && keyless !== undefined) return keyless;
  if (opened === undefined) {
    const message = `${slug} has no shared credential; store one with provider set-key, or use --key-from-stdin`;
    throw new Problem('not_found', message);
  }
  if ('unusable' in opened)
    throw new Problem('not_found', `the shared credential is unusable: ${opened.unusable}`);
  return opened.credential;
}

function parsed({ adapter }: Provider, text: string, rules: CredentialRules): Credential {
  const result = parseCredential(adapter, text, rules);
  if ('ok' in result) return result.ok;
  throw invalid(result.violations);
}

function endpointFor(
  catalog: Catalog,
  { slug }: Provider,
  credential: Credential,
  model: string | undefined,
): Endpoint {
  const allowedModels = model === undefined ? null : [model];
  const endpoint = endpointToTest(catalog, { provider: slug, allowedModels }, credential);
  if (endpoint === undefined) throw noEndpoint(slug);
  return endpoint;
}

function noEndpoint(slug: string): Problem {
  return new Problem('not_found', `${slug} has no chat model that this credential and --model admit`);
}

function attemptAt(
  endpoint: Endpoint,
  provider: Provider,
  credential: Credential,
  modelReasoning: Attempt['modelReasoning'],
): Attempt {
  const region = singleRegion(regionsCalledWith(credential)(endpoint, provider));
  return {
    endpoint,
    provider,
    modelReasoning,
    key: null,
    section: 'shared',
    region,
    health: { state: 'ok' },
  };
}

const WIDTH = 120;

function outcomeOf(provider: string, { modelId, id }: Endpoint, results: readonly Probed[]): CommandOutcome {
  const isFailed = results.some(({ result }) => result === 'differs' || result === 'failed');
  const calls = results.map(({ latencyMs, ...rest }) => ({ ...rest, latency_ms: latencyMs }));
  const rows = results.map(({ call, result, status, found, latencyMs }) => [
    call,
    result,
    status === null ? '' : String(status),
    `${latencyMs} ms`,
    found,
  ]);
  const lines = [
    `${provider}, ${modelId} (${id})`,
    ...tableLines(['call', 'result', 'status', 'time', 'found'], rows, WIDTH),
  ];
  return report({ provider, model: modelId, endpoint: id, calls }, lines, isFailed);
}
