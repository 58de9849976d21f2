import type { Catalog } from '../../catalog/assembled/catalog.js';
import { completesTexts, takesChats } from '../../catalog/formats.js';
import { compareEndpoints } from '../../catalog/price.js';
import type { Endpoint, Model } from '../../catalog/types.js';
import { allowsModel } from '../filters.js';
import type { Credential } from '../kinds/credential.js';
import { servesModel } from '../kinds/credential-for-model.js';
import { reaches } from '../kinds/region.js';
import type { ByokKey } from '../types.js';

/**
 * The endpoint that a key is tested with: the cheapest endpoint for chats or texts of its provider that is enabled, that its credential
 * can call and that its model filter admits; a degraded one only where there is no other. The filters for callers do not
 * matter here.
 */
export function endpointToTest(
  { models, resolveId }: Pick<Catalog, 'models' | 'resolveId'>,
  { provider, allowedModels }: Pick<ByokKey, 'provider' | 'allowedModels'>,
  credential: Credential,
): Endpoint | undefined {
  const isAdmitted = ({ id }: Model) =>
    allowsModel({ allowedModels }, id, resolveId) && servesModel(credential, id, resolveId);
  const [first] = models
    .filter((model) => isChat(model) && isAdmitted(model))
    .flatMap(({ endpoints }) => endpoints)
    .filter((endpoint) => endpoint.provider === provider && endpoint.status !== 'disabled')
    .filter((endpoint) => takesChats(endpoint, credential) || completesTexts(endpoint, credential))
    .filter((endpoint) => reaches(credential, endpoint))
    .sort((a, b) => Number(isDegraded(a)) - Number(isDegraded(b)) || compareEndpoints(a, b));
  return first;
}

function isChat({ architecture: { inputModalities, outputModalities } }: Model): boolean {
  return inputModalities.includes('text') && outputModalities.includes('text');
}

function isDegraded({ status }: Endpoint): boolean {
  return status === 'degraded';
}
