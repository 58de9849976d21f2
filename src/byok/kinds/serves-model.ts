import { azureEntryFor } from './azure.js';
import type { Credential } from './credential.js';

/** Whether the credential can serve the model: an Azure credential may be limited to the models that it names. */
export function servesModel(
  credential: Credential,
  modelId: string,
  resolveModelId: (name: string) => string,
): boolean {
  switch (credential.adapter) {
    case 'azure':
      return azureEntryFor(credential, modelId, resolveModelId) !== undefined;
    case 'openai':
    case 'anthropic':
    case 'amazon-bedrock':
    case 'google-vertex':
    case 'demo':
      return true;
  }
}
