import { type AzureCredential, type AzureEntry, azureEntryFor } from './azure.js';
import type { Credential } from './credential.js';

/** A credential as its adapter takes it: of an Azure credential the one entry that serves the model. */
export type AdapterCredential = Exclude<Credential, AzureCredential> | AzureEntry;

/** Whether the adapter takes the credential as it is, for any model. */
export function isWhole(credential: Credential): credential is Exclude<Credential, AzureCredential> {
  switch (credential.adapter) {
    case 'openai':
    case 'anthropic':
    case 'amazon-bedrock':
    case 'google-vertex':
    case 'demo':
      return true;
    case 'azure':
      return false;
  }
}

/** The credential for calls of the model; undefined where it has nothing for it. */
export function credentialForModel(
  credential: Credential,
  modelId: string,
  resolveModelId: (name: string) => string,
): AdapterCredential | undefined {
  return isWhole(credential) ? credential : azureEntryFor(credential, modelId, resolveModelId);
}

/** Whether the credential can serve the model: an Azure credential may be limited to the models that it names. */
export function servesModel(...of: Parameters<typeof credentialForModel>): boolean {
  return credentialForModel(...of) !== undefined;
}
