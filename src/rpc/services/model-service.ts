import { create } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import {
  CodexModelListSchema,
  EndpointStatusSchema,
  type ListModelsRequest,
  type ListModelsResponse,
  ListModelsResponseSchema,
  type ListUserModelsResponse,
  ModelService,
} from '../../../gen/byway/v1/models_pb.js';
import type { CallerPolicies } from '../../accounts/policy/caller-policies.js';
import { notFound } from '../../base/problem.js';
import type { Catalog, CatalogCache } from '../../catalog/assembled/catalog.js';
import { type ListedModel, listedModel } from '../../catalog/assembled/listing.js';
import { takesChats } from '../../catalog/formats.js';
import type { Endpoint, Model, Provider } from '../../catalog/types.js';
import { UNFILTERED } from '../../catalog/visibility.js';
import { isOfNow, ofNow } from '../../protobuf/answer-caching.js';
import { enumNumber } from '../../protobuf/spelling.js';
import { type AvailabilityDependencies, modelsAvailableTo } from '../../routing/router/available-models.js';
import { type Caller, callerOf, principalOf } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { codexModels, knowsMaxEffort } from '../messages/codex-model.js';
import { defined } from '../messages/defined.js';
import { type AvailableModels, ModelListing } from '../messages/listing.js';
import {
  architectureMessage,
  modelDescription,
  modelMessage,
  parameterNumbers,
  priceModeMessage,
  pricingMessage,
} from '../messages/model-message.js';

export interface ModelDependencies {
  readonly catalogs: CatalogCache;
  readonly policies: Pick<CallerPolicies, 'routingPolicy'>;
  readonly availability: AvailabilityDependencies;
  /** The path of the public URL, without a slash at its end. */
  readonly publicPath: string;
}

/** The header by which Anthropic's clients are known. */
const ANTHROPIC_VERSION = 'anthropic-version';

/** Paths of the REST operations, for `links.next`. */
const REST_PATHS = { all: '/api/v1/models', user: '/api/v1/models/user' };

export function modelService({
  catalogs,
  policies,
  availability,
  publicPath,
}: ModelDependencies): ServiceDefinition {
  const listing = new ModelListing(publicPath);
  /** undefined where the query does not ask. */
  const availableOf = async (
    isOnly: boolean | undefined,
    catalog: Catalog,
    { principal, region }: Caller,
  ): Promise<AvailableModels | undefined> =>
    isOnly === undefined
      ? undefined
      : { ids: await modelsAvailableTo(availability, principal, catalog, region), isOnly };
  const publicAnswers = new WeakMap<ListUserModelsResponse, ListModelsResponse>();
  type Answers = WeakMap<ListModelsResponse, ListModelsResponse>;
  const codexAnswers: Readonly<Record<'older' | 'newer', Answers>> = {
    older: new WeakMap(),
    newer: new WeakMap(),
  };
  const pageOfAll = async (
    catalog: Catalog,
    { offset, limit, afterId, beforeId, available }: ListModelsRequest,
    context: HandlerContext,
  ): Promise<ListModelsResponse> => {
    const asked = await availableOf(available, catalog, callerOf(context));
    const part = { offset: offset ?? null, limit: limit ?? null };
    if (context.requestHeader.has(ANTHROPIC_VERSION)) {
      const cursor = { limit: part.limit, afterId: afterId || null, beforeId: beforeId || null };
      return asked === undefined
        ? listing.anthropicPage(catalog, UNFILTERED, cursor)
        : listing.availableAnthropicPage(catalog, UNFILTERED, cursor, asked);
    }
    const query = { ...part, url: callerOf(context).baseUrl + REST_PATHS.all };
    if (asked !== undefined) {
      return ofNow(publicAnswer(listing.availablePage(catalog, UNFILTERED, query, asked)));
    }
    return derived(publicAnswers, listing.page(catalog, UNFILTERED, query), publicAnswer);
  };
  return defineService(ModelService, {
    async listModels(request, context) {
      const catalog = await catalogs.current();
      const page = await pageOfAll(catalog, request, context);
      if (request.clientVersion === '') return page;
      const knowsMax = knowsMaxEffort(request.clientVersion);
      const make = () => codexAnswer(page, catalog, knowsMax);
      return isOfNow(page) ? ofNow(make()) : derived(codexAnswers[knowsMax ? 'newer' : 'older'], page, make);
    },
    async listUserModels({ offset = null, limit = null, available }, context) {
      const { region, baseUrl } = callerOf(context);
      const catalog = await catalogs.current();
      const { accountId, workspaceId, keyHash, userId } = principalOf(context, 'api_key');
      const caller = { accountId, workspaceId, apiKeyHash: keyHash, userId };
      const { visibility } = await policies.routingPolicy(caller, region, catalog);
      const query = { offset, limit, url: baseUrl + REST_PATHS.user };
      const asked = await availableOf(available, catalog, callerOf(context));
      return asked === undefined
        ? listing.page(catalog, visibility, query)
        : listing.availablePage(catalog, visibility, query, asked);
    },
    async getModel({ author, slug }) {
      return { data: modelMessage(modelNamed(await catalogs.current(), `${author}/${slug}`), publicPath) };
    },
    async describeModel({ id }) {
      return modelDescription(modelNamed(await catalogs.current(), id));
    },
    async listModelEndpoints({ author, slug }) {
      const catalog = await catalogs.current();
      const resolution = catalog.resolve(`${author}/${slug}`);
      if (resolution === undefined) throw notFound();
      return { data: endpointsMessage(catalog, resolution.alias ?? resolution.model, resolution.model) };
    },
    async listProviders() {
      const { providers } = await catalogs.current();
      const bySlug = [...providers.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1));
      return { data: bySlug.map(providerMessage) };
    },
  });
}

/** The same answer each time for the same page, so that its bytes are cached too. */
function derived<P extends object, A>(known: WeakMap<P, A>, page: P, make: (page: P) => A): A {
  const answer = known.get(page) ?? make(page);
  known.set(page, answer);
  return answer;
}

/** What Codex reads, beside what others do. */
function codexAnswer(page: ListModelsResponse, catalog: Catalog, knowsMax: boolean): ListModelsResponse {
  const asked = page.data.filter(({ id }) => converses(catalog, id));
  const models = create(CodexModelListSchema, { values: codexModels(asked, knowsMax) });
  return create(ListModelsResponseSchema, { ...page, models });
}

/** Whether an endpoint of the model takes conversations, and not only texts to complete. */
function converses({ resolve, providers }: Catalog, modelId: string): boolean {
  const endpoints = resolve(modelId)?.model.endpoints ?? [];
  return endpoints.some((endpoint) => {
    const provider = providers.get(endpoint.provider);
    return provider !== undefined && takesChats(endpoint, provider);
  });
}

function publicAnswer({ data, totalCount, object, links }: ListUserModelsResponse): ListModelsResponse {
  return create(ListModelsResponseSchema, { data, totalCount, object, ...defined({ links }) });
}

/** As `GET /models` lists it. Throws a 404 Problem for a name that it lists no model of. */
function modelNamed(catalog: Catalog, name: string): ListedModel {
  const resolution = catalog.resolve(name);
  const listed = resolution && listedModel(catalog, resolution.alias ?? resolution.model, UNFILTERED);
  if (listed === undefined) throw notFound();
  return listed;
}

function endpointsMessage(catalog: Catalog, named: Model, target: Model) {
  return {
    id: named.id,
    name: named.name,
    created: named.created,
    ...defined({ description: named.description }),
    architecture: architectureMessage(named.architecture),
    endpoints: target.endpoints.flatMap((endpoint) => {
      const provider = catalog.providers.get(endpoint.provider);
      return provider === undefined ? [] : [endpointMessage(endpoint, provider, target)];
    }),
  };
}

function endpointMessage(endpoint: Endpoint, provider: Provider, model: Model) {
  const { region, contextLength, maxCompletionTokens, quantization, dataPolicy } = endpoint;
  return {
    id: endpoint.id,
    name: `${provider.name} | ${model.name}`,
    provider: provider.slug,
    providerName: provider.name,
    ...defined({ region, contextLength, maxCompletionTokens, quantization }),
    pricing: pricingMessage(endpoint.pricing),
    priceModes: (endpoint.pricing.modes ?? []).map(priceModeMessage),
    supportedParameters: parameterNumbers(endpoint.supportedParameters),
    isModerated: endpoint.isModerated,
    dataPolicy,
    ...defined({ status: enumNumber(EndpointStatusSchema, endpoint.status) ?? null }),
  };
}

function providerMessage(provider: Provider) {
  const { slug, name, datacenters, headquarters, privacyPolicyUrl, termsOfServiceUrl, statusPageUrl } =
    provider;
  return {
    slug,
    name,
    datacenters: [...datacenters],
    ...defined({ headquarters, privacyPolicyUrl, termsOfServiceUrl, statusPageUrl }),
  };
}
