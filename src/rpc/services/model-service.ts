import { create } from '@bufbuild/protobuf';
import {
  EndpointStatusSchema,
  type ListModelsResponse,
  ListModelsResponseSchema,
  type ListUserModelsResponse,
  ModelService,
} from '../../../gen/byway/v1/models_pb.js';
import type { CallerPolicies } from '../../accounts/policy/caller-policies.js';
import { notFound } from '../../base/problem.js';
import type { Catalog, CatalogCache } from '../../catalog/catalog.js';
import { type ListedModel, listedModel } from '../../catalog/listing.js';
import type { Endpoint, Model, Provider } from '../../catalog/types.js';
import { UNFILTERED } from '../../catalog/visibility.js';
import { enumNumber } from '../../protobuf/spelling.js';
import { callerOf, principalOf } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { defined } from '../messages/defined.js';
import { ModelListing } from '../messages/listing.js';
import {
  architectureMessage,
  modelDescription,
  modelMessage,
  parameterNumbers,
  pricingMessage,
} from '../messages/model-message.js';

export interface ModelDependencies {
  readonly catalogs: CatalogCache;
  readonly policies: Pick<CallerPolicies, 'routingPolicy'>;
  /** Of the public URL, without a slash at its end. */
  readonly publicPath: string;
}

/** By it clients of Anthropic are known. */
const ANTHROPIC_VERSION = 'anthropic-version';

/** Paths of the REST operations, for `links.next`. */
const REST_PATHS = { all: '/api/v1/models', user: '/api/v1/models/user' };

export function modelService({ catalogs, policies, publicPath }: ModelDependencies): ServiceDefinition {
  const listing = new ModelListing(publicPath);
  const publicAnswers = new WeakMap<ListUserModelsResponse, ListModelsResponse>();
  return defineService(ModelService, {
    async listModels({ offset = null, limit = null, afterId, beforeId }, context) {
      const catalog = await catalogs.current();
      if (context.requestHeader.has(ANTHROPIC_VERSION)) {
        const cursor = { limit, afterId: afterId || null, beforeId: beforeId || null };
        return listing.anthropicPage(catalog, UNFILTERED, cursor);
      }
      const url = callerOf(context).baseUrl + REST_PATHS.all;
      const page = listing.page(catalog, UNFILTERED, { offset, limit, url });
      const known = publicAnswers.get(page);
      if (known !== undefined) return known;
      const { data, totalCount, object, links } = page;
      const answer = create(ListModelsResponseSchema, { data, totalCount, object, ...defined({ links }) });
      publicAnswers.set(page, answer);
      return answer;
    },
    async listUserModels({ offset = null, limit = null }, context) {
      const { region, baseUrl } = callerOf(context);
      const catalog = await catalogs.current();
      const { accountId, workspaceId, keyHash, userId } = principalOf(context, 'api_key');
      const caller = { accountId, workspaceId, apiKeyHash: keyHash, userId };
      const { visibility } = await policies.routingPolicy(caller, region, catalog);
      return listing.page(catalog, visibility, { offset, limit, url: baseUrl + REST_PATHS.user });
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
