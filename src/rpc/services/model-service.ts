import { create } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import {
  CodexModelListSchema,
  type ListEmbeddingModelsResponse,
  ListEmbeddingModelsResponseSchema,
  type ListModelsRequest,
  type ListModelsResponse,
  ListModelsResponseSchema,
  type ListUserModelsResponse,
  ModelService,
  OutputModality,
} from '../../../gen/byway/v1/models_pb.js';
import type { CallerPolicies } from '../../accounts/policy/caller-policies.js';
import { notFound } from '../../base/problem.js';
import type { Catalog, CatalogCache } from '../../catalog/assembled/catalog.js';
import { type ListedModel, listedModel, visibleEndpoints } from '../../catalog/assembled/listing.js';
import { takesChats } from '../../catalog/formats.js';
import type { Provider } from '../../catalog/types.js';
import { UNFILTERED } from '../../catalog/visibility.js';
import { isOfNow, ofNow } from '../../protobuf/answer-caching.js';
import type { Measurements } from '../../routing/health/endpoint-measurements.js';
import { type AvailabilityDependencies, modelsAvailableTo } from '../../routing/router/available-models.js';
import { type Caller, callerOf, principalOf } from '../caller.js';
import { defineService, type RequestChecks, type ServiceDefinition } from '../define-service.js';
import { codexModels, knowsMaxEffort } from '../messages/codex-model.js';
import { defined } from '../messages/defined.js';
import { endpointMessages, endpointsMessage, type MeasuredBy } from '../messages/endpoint-message.js';
import { type AvailableModels, ModelListing, returnedBy, returnedViolations } from '../messages/listing.js';
import { modelDescription, modelMessage } from '../messages/model-message.js';

export interface ModelDependencies {
  readonly catalogs: CatalogCache;
  readonly policies: Pick<CallerPolicies, 'routingPolicy'>;
  readonly availability: AvailabilityDependencies;
  readonly measurements: Pick<Measurements, 'of'>;
  /** The path of the public URL, without a slash at its end. */
  readonly publicPath: string;
}

/** The header by which Anthropic's clients are known. */
const ANTHROPIC_VERSION = 'anthropic-version';

/** Paths of the REST operations, for `links.next`. */
const REST_PATHS = {
  all: '/api/v1/models',
  user: '/api/v1/models/user',
  embeddings: '/api/v1/embeddings/models',
};

export function modelService({
  catalogs,
  policies,
  availability,
  measurements,
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
  /** How fast endpoints are is for callers with a credential. */
  const measuredFor = ({ principal }: Caller): MeasuredBy =>
    principal.kind === 'anonymous'
      ? (endpointId) => ({ ...measurements.of(endpointId), latency: null, throughput: null })
      : (endpointId) => measurements.of(endpointId);
  const publicAnswers = new WeakMap<ListUserModelsResponse, ListModelsResponse>();
  const embeddingAnswers = new WeakMap<ListUserModelsResponse, ListEmbeddingModelsResponse>();
  type Answers = WeakMap<ListModelsResponse, ListModelsResponse>;
  const codexAnswers: Readonly<Record<'older' | 'newer', Answers>> = {
    older: new WeakMap(),
    newer: new WeakMap(),
  };
  const pageOfAll = async (
    catalog: Catalog,
    { offset, limit, afterId, beforeId, available, outputModalities }: ListModelsRequest,
    context: HandlerContext,
  ): Promise<ListModelsResponse> => {
    const asked = await availableOf(available, catalog, callerOf(context));
    const part = { offset: offset ?? null, limit: limit ?? null, returns: returnedBy(outputModalities) };
    if (context.requestHeader.has(ANTHROPIC_VERSION)) {
      const { offset: _, ...rest } = part;
      const cursor = { ...rest, afterId: afterId || null, beforeId: beforeId || null };
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
  return defineService(
    ModelService,
    {
      async listModels(request, context) {
        const catalog = await catalogs.current();
        const page = await pageOfAll(catalog, request, context);
        if (request.clientVersion === '') return page;
        const knowsMax = knowsMaxEffort(request.clientVersion);
        const make = () => codexAnswer(page, catalog, knowsMax);
        return isOfNow(page)
          ? ofNow(make())
          : derived(codexAnswers[knowsMax ? 'newer' : 'older'], page, make);
      },
      async listUserModels({ offset = null, limit = null, available, outputModalities }, context) {
        const { region, baseUrl } = callerOf(context);
        const catalog = await catalogs.current();
        const { accountId, workspaceId, keyHash, userId } = principalOf(context, 'api_key');
        const caller = { accountId, workspaceId, apiKeyHash: keyHash, userId };
        const { visibility } = await policies.routingPolicy(caller, region, catalog);
        const query = {
          offset,
          limit,
          returns: returnedBy(outputModalities),
          url: baseUrl + REST_PATHS.user,
        };
        const asked = await availableOf(available, catalog, callerOf(context));
        return asked === undefined
          ? listing.page(catalog, visibility, query)
          : listing.availablePage(catalog, visibility, query, asked);
      },
      async getModel({ author, slug }) {
        const model = modelNamed(await catalogs.current(), `${author}/${slug}`);
        return { data: modelMessage(model, publicPath), ...modelDescription(model) };
      },
      async countModels({ outputModalities }) {
        const catalog = await catalogs.current();
        return { data: { count: listing.count(catalog, UNFILTERED, returnedBy(outputModalities)) } };
      },
      async listEmbeddingModels({ offset = null, limit = null }, context) {
        const url = callerOf(context).baseUrl + REST_PATHS.embeddings;
        const query = { offset, limit, returns: [OutputModality.EMBEDDINGS], url };
        const page = listing.page(await catalogs.current(), UNFILTERED, query);
        return derived(embeddingAnswers, page, ({ data, totalCount, object, links }) =>
          create(ListEmbeddingModelsResponseSchema, { data, totalCount, object, ...defined({ links }) }),
        );
      },
      async listZdrEndpoints(_request, context) {
        const catalog = await catalogs.current();
        const measured = measuredFor(callerOf(context));
        const ofModels = catalog.models.map((model) => {
          const retainingNothing = visibleEndpoints(catalog, model, { ...UNFILTERED, zdr: true });
          return endpointMessages(catalog, model, retainingNothing, measured);
        });
        return { data: ofModels.flat() };
      },
      async describeModel({ id }) {
        return modelDescription(modelNamed(await catalogs.current(), id));
      },
      async listModelEndpoints({ author, slug }, context) {
        const catalog = await catalogs.current();
        const resolution = catalog.resolve(`${author}/${slug}`);
        if (resolution === undefined) throw notFound();
        const { alias, model } = resolution;
        return { data: endpointsMessage(catalog, alias ?? model, model, measuredFor(callerOf(context))) };
      },
      async listProviders() {
        const { providers } = await catalogs.current();
        const bySlug = [...providers.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1));
        return { data: bySlug.map(providerMessage) };
      },
    },
    CHECKS,
  );
}

const CHECKS: RequestChecks<typeof ModelService> = {
  checks: {
    listModels: returnedViolations,
    listUserModels: returnedViolations,
    countModels: returnedViolations,
  },
};

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
