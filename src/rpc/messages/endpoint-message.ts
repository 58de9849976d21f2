import { EndpointStatusSchema } from '../../../gen/byway/v1/models_pb.js';
import type { Catalog } from '../../catalog/assembled/catalog.js';
import type { Endpoint, Model, Provider } from '../../catalog/types.js';
import { enumNumber } from '../../protobuf/spelling.js';
import type { EndpointMeasurements } from '../../routing/health/endpoint-measurements.js';
import { defined } from './defined.js';
import { architectureMessage, parameterNumbers, priceModeMessage, pricingMessage } from './model-message.js';

/** What a caller may know of the measurements of an endpoint. */
export type MeasuredBy = (endpointId: string) => EndpointMeasurements;

/** `named` may be an alias of `target`, whose endpoints these are. */
export function endpointsMessage(catalog: Catalog, named: Model, target: Model, measured: MeasuredBy) {
  return {
    id: named.id,
    name: named.name,
    created: named.created,
    ...defined({ description: named.description }),
    architecture: architectureMessage(named.architecture),
    endpoints: endpointMessages(catalog, target, target.endpoints, measured),
  };
}

/** Endpoints of the model, without those of providers that the catalogue does not have. */
export function endpointMessages(
  { providers }: Catalog,
  model: Model,
  endpoints: readonly Endpoint[],
  measured: MeasuredBy,
) {
  return endpoints.flatMap((endpoint) => {
    const provider = providers.get(endpoint.provider);
    return provider === undefined ? [] : [endpointMessage(endpoint, provider, model, measured)];
  });
}

function endpointMessage(endpoint: Endpoint, provider: Provider, model: Model, measured: MeasuredBy) {
  const { region, contextLength, maxCompletionTokens, quantization, dataPolicy } = endpoint;
  const { uptimeLast5m, uptimeLast30m, uptimeLast1d, latency, throughput } = measured(endpoint.id);
  const choosesTools = endpoint.supportedParameters.includes('tool_choice');
  return {
    id: endpoint.id,
    name: `${provider.name} | ${model.name}`,
    provider: provider.slug,
    providerName: provider.name,
    tag: provider.slug,
    modelId: model.id,
    modelName: model.name,
    ...defined({ region, contextLength, maxCompletionTokens, quantization }),
    pricing: pricingMessage(endpoint.pricing),
    priceModes: (endpoint.pricing.modes ?? []).map(priceModeMessage),
    supportedParameters: parameterNumbers(endpoint.supportedParameters),
    supportsToolChoice: {
      auto: choosesTools,
      none: choosesTools,
      required: choosesTools,
      function: choosesTools,
    },
    isModerated: endpoint.isModerated,
    dataPolicy,
    ...defined({
      status: enumNumber(EndpointStatusSchema, endpoint.status) ?? null,
      uptimeLast5m,
      uptimeLast30m,
      uptimeLast1d,
      latencyLast30m: latency,
      throughputLast30m: throughput,
    }),
  };
}
