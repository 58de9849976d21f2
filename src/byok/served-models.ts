import type { Credential } from './credential.js';
import { azureEntryFor } from './kinds/azure.js';

/** Whether the credential is for the model at all: one of platform A may name the models that it is for (spec 2.4). */
export function servesModel(
  credential: Credential,
  modelId: string,
  resolveModelId: (name: string) => string,
): boolean {
  return credential.adapter !== 'azure' || azureEntryFor(credential, modelId, resolveModelId) !== undefined;
}
