import { azureEntryFor } from './azure.js';
import type { Credential } from './credential.js';

/** Whether the credential can serve the model: an Azure credential may be limited to the models that it names. */
export function servesModel(
  credential: Credential,
  modelId: string,
  resolveModelId: (name: string) => string,
): boolean {
  return credential.adapter !== 'azure' || azureEntryFor(credential, modelId, resolveModelId) !== undefined;
}
