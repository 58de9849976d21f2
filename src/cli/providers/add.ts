import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../base/clock.js';
import { invalid, Problem } from '../../base/problem.js';
import { headerContext } from '../../byok/keys/host-headers.js';
import { setSharedCredential } from '../../byok/keys/operator-credential.js';
import { keylessCredential } from '../../byok/kinds/bare-key.js';
import { type Credential, parseCredential } from '../../byok/kinds/credential.js';
import { createVault } from '../../byok/vault/vault.js';
import { putOwnProvider, throwUnlessAddable } from '../../catalog/importing/own.js';
import type { CatalogFile } from '../../catalog/input/catalog-file.js';
import { JsonReader } from '../../catalog/input/json-reader.js';
import { CatalogViolations } from '../../catalog/input/violation-list.js';
import { type NativeObject, writeModel } from '../../catalog/native/native.js';
import { readHeaders } from '../../catalog/native/read-headers.js';
import type { Provider } from '../../catalog/types.js';
import type { Gateway } from '../../compose/gateway.js';
import type { Config } from '../../config/config.js';
import { discover } from '../../providers/discovery/discover.js';
import { possibleRoots } from '../../providers/discovery/roots.js';
import { createTrustedHttp } from '../../providers/http/http.js';
import { NOTICED_AFTER_MS } from '../../store/database/revisions.js';
import type { Terminal } from '../output/command-line.js';
import { type CommandOutcome, report } from '../output/outcome.js';
import { refuseMasterKeyMismatch } from '../start/unreadable-credentials.js';
import { readCredential } from '../support/read-credential.js';
import { findingLines, namingVoided, type RuleFinding } from '../support/rule-findings.js';
import { withGateway } from '../support/with-gateway.js';
import { type Chosen, chosenModels, modelDocuments } from './models.js';
import {
  type AddOptions,
  adapterOf,
  checkTogether,
  FREE,
  hostHeadersOf,
  pricesOf,
  wantedModels,
} from './options.js';
import { answersTexts, firstAnswering, type TriedChat } from './try-chat.js';

/**
 * Adds a provider of the operator's own, or changes it: finds the API root and the models that the host offers, has one
 * of them answer a chat, and only then stores anything: `docs/catalog.md#your-own-provider`. Ends once running servers
 * serve it, since the next command is a request.
 */
export async function addProvider(
  terminal: Terminal,
  slug: string,
  options: AddOptions,
): Promise<CommandOutcome> {
  checkTogether(options);
  const adapter = adapterOf(options);
  const wanted = wantedModels(options);
  const given = checkedHeaders(hostHeadersOf(options));
  const prices = pricesOf(options);
  const [root] = possibleRoots(options.url);
  const text = options.keyFromStdin ? await readCredential(terminal) : undefined;
  return withGateway(terminal, async (gateway, config) => {
    const { stores, masterKeys } = gateway;
    await refuseMasterKeyMismatch(stores.credentials, config, masterKeys);
    const live = await stores.catalog.load();
    throwUnlessAddable(live, slug);
    const old = live.providers.find((one) => one.slug === slug);
    const secrets = await secretsFor(gateway, config, { root, old, options, given, text });
    const { apiKey, headers } = secrets;
    const http = createTrustedHttp(config.proxies);
    const found = await discover(http, { url: options.url, adapter, apiKey, headers }).finally(() =>
      http.close(),
    );
    const chosen = chosenModels(found.models, wanted, found.roots[0]);
    const roots = found.models === undefined ? found.roots : [found.roots[0]];
    const target = { slug, adapter, ...secrets, roots };
    const answered = await firstAnswering(
      gateway,
      target,
      chosen.models.map(({ id }) => id),
    );
    const isKeyless = apiKey === null;
    const models = modelDocuments(chosen.models, {
      slug,
      adapter,
      prices: prices ?? (isKeyless ? FREE : undefined),
      completesTexts: await answersTexts(gateway, target, answered),
      before: endpointsOf(live, slug),
      now: systemClock.now(),
    });
    const vault = createVault(masterKeys.keys);
    const provider = {
      slug,
      name: options.name ?? old?.name ?? slug,
      adapter,
      base_url: answered.root,
      credential: isKeyless ? 'none' : null,
      ...(Object.keys(given).length > 0 && { headers: given }),
    };
    const [retired, voided] = await namingVoided(gateway, config.regionHosts.values(), () =>
      putOwnProvider(stores.catalog, { provider, models }, (to, name, value) =>
        vault.seal(value, headerContext(to, name)),
      ),
    );
    if (text !== undefined) await storeKey(gateway, config, provider, text);
    else if (isKeyless) await stores.credentials.deleteShared(slug);
    await sleep(NOTICED_AFTER_MS);
    return outcomeOf({ slug, url: options.url, isKeyless, models, chosen, answered, retired, voided });
  });
}

/** Judges by the catalogue's own rules; throws a 400 Problem that names the option. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const violations = new CatalogViolations();
  readHeaders(new JsonReader(headers, '--header', violations));
  violations.throwIfAny();
  return headers;
}

interface SecretsInput {
  readonly root: string;
  readonly old: Provider | undefined;
  readonly options: AddOptions;
  readonly given: Readonly<Record<string, string>>;
  readonly text: string | undefined;
}

/** What the host is called with. */
interface Secrets {
  /** null = without a key. */
  readonly apiKey: string | null;
  readonly credential: Credential;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What is given, else what is stored of the provider. What is stored goes to no other host than it was stored for: throws
 * `in_use` where the address is at another.
 */
async function secretsFor(
  gateway: Gateway,
  config: Config,
  { root, old, options, given, text }: SecretsInput,
): Promise<Secrets> {
  const adapter = adapterOf(options);
  const opened = old === undefined ? undefined : await gateway.credentials.shared(old.slug, adapter);
  const storedKey =
    options.key === false || opened === undefined || 'unusable' in opened ? undefined : opened.credential;
  const storedHeaders = old === undefined ? undefined : await gateway.credentials.headersOf(old);
  const usesKey = text === undefined && storedKey !== undefined;
  const usesHeaders = Object.keys(given).length === 0 && storedHeaders !== undefined;
  if ((usesKey || usesHeaders) && old?.baseUrl && new URL(old.baseUrl).origin !== new URL(root).origin) {
    const message = `${old.slug} has ${usesKey ? 'a key' : 'headers'} for ${new URL(old.baseUrl).origin}, which no other host gets: give --key-from-stdin or --no-key, and --header; or remove it first`;
    throw new Problem('in_use', message);
  }
  const headers = usesHeaders ? storedHeaders.values : given;
  const credential = text === undefined ? storedKey : parsedKey(adapter, text, config);
  if (credential !== undefined && 'apiKey' in credential)
    return { apiKey: credential.apiKey, credential, headers };
  const keyless = keylessCredential(adapter);
  if (keyless === undefined) throw new Problem('invalid_request', `${adapter} needs a key`);
  return { apiKey: null, credential: keyless, headers };
}

function parsedKey(adapter: ReturnType<typeof adapterOf>, text: string, config: Config): Credential {
  const parsed = parseCredential(adapter, text, config);
  if ('ok' in parsed) return parsed.ok;
  throw invalid(parsed.violations);
}

async function storeKey(
  { stores, masterKeys }: Gateway,
  config: Config,
  { slug, adapter }: { readonly slug: string; readonly adapter: ReturnType<typeof adapterOf> },
  text: string,
): Promise<void> {
  const dependencies = {
    store: stores.credentials,
    vault: createVault(masterKeys.keys),
    providers: { adapterOf: () => adapter, slugs: () => [slug].values() },
    rules: config,
    clock: systemClock,
  };
  await setSharedCredential(dependencies, slug, text);
}

/** What is stored of the endpoints at the provider, by the host's names. */
function endpointsOf(live: CatalogFile, slug: string): ReadonlyMap<string, NativeObject> {
  const models = live.models.filter(({ endpoints }) => endpoints.some(({ provider }) => provider === slug));
  return new Map(
    models.flatMap((model) => {
      const { endpoints } = writeModel(model);
      const written: readonly NativeObject[] = Array.isArray(endpoints) ? endpoints : [];
      return written
        .filter(({ provider }) => provider === slug)
        .map((endpoint): [string, NativeObject] => [String(endpoint.upstream_model_id), endpoint]);
    }),
  );
}

interface Added {
  readonly slug: string;
  readonly url: string;
  readonly isKeyless: boolean;
  readonly models: readonly NativeObject[];
  readonly chosen: Chosen;
  readonly answered: TriedChat;
  readonly retired: readonly string[];
  readonly voided: readonly RuleFinding[];
}

function outcomeOf(added: Added): CommandOutcome {
  const { slug, url, isKeyless, models, chosen, answered, retired, voided } = added;
  const ids = models.map(({ id }) => String(id));
  const unpriced = models.filter(({ endpoints }) => JSON.stringify(endpoints).includes('"unpriced":true'));
  const tried = ids[chosen.models.findIndex(({ id }) => id === answered.model)] ?? '';
  const isMended = url.trim() !== answered.root;
  const document = {
    provider: slug,
    base_url: answered.root,
    takes_key: !isKeyless,
    models: ids,
    answered: tried,
    unpriced: unpriced.map(({ id }) => id),
    left_out: chosen.leftOut,
    retired,
    ...(voided.length > 0 && { voided }),
  };
  const shown = ids.slice(0, MAX_SHOWN).join(', ');
  const more = ids.length > MAX_SHOWN ? ` and ${ids.length - MAX_SHOWN} more` : '';
  return report(document, [
    `added ${slug} at ${answered.root}${isMended ? ` (you gave ${url.trim()})` : ''}, ${isKeyless ? 'without a key' : 'with a key'}`,
    `models: ${shown}${more}`,
    `${tried} has answered a chat${unpriced.length === 0 ? '; requests may name it now' : ''}`,
    ...(chosen.leftOut.length === 0
      ? []
      : [`left out, since they answer no chats: ${chosen.leftOut.join(', ')}`]),
    ...(retired.length === 0
      ? []
      : [`gone, since the host or --models does not name them: ${retired.join(', ')}`]),
    ...findingLines(voided).map((line) => `warning: ${line}`),
    ...(unpriced.length === 0
      ? []
      : [
          `${unpriced.length} of ${models.length} without a price: requests get 404 unless they use own keys (BYOK); add again with --free, or --price IN,OUT (USD per million tokens), to open shared capacity with the key that is stored`,
        ]),
  ]);
}

/** Models that are named in the text; the JSON names all. */
const MAX_SHOWN = 20;
