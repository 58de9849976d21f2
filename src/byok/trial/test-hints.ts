/** Hints for a failed test of a key: the members and permissions to look at, by kind of credential. */

import { azureEntryFor } from '../kinds/azure.js';
import type { Credential } from '../kinds/credential.js';

/** Each is the end of a sentence, without any value of the credential. */
export interface Hints {
  /** When the provider refuses the credential. */
  readonly credential: string;
  /** When the credential lacks a permission. */
  readonly permission: string;
  /** When the provider answers with 404. */
  readonly location: string;
  /** When the host is unreachable. */
  readonly host: string;
}

export function hintsFor(
  credential: Credential,
  modelId: string,
  resolveModelId: (name: string) => string,
): Hints {
  switch (credential.adapter) {
    case 'openai':
    case 'anthropic':
    case 'demo':
      return API_KEY;
    case 'azure':
      return azureEntryFor(credential, modelId, resolveModelId)?.kind === 'deployment'
        ? AZURE_DEPLOYMENT
        : AZURE_RESOURCE;
    case 'amazon-bedrock':
      return { ...BEDROCK, credential: BEDROCK_CREDENTIAL[credential.kind] };
    case 'google-vertex':
      return VERTEX;
  }
}

const API_KEY: Hints = {
  credential: 'look at the API key, which may be mistyped or revoked',
  permission: "look at the key's permissions and its account's balance and access to the model",
  location: "look at whether the key's account has access to the model",
  host: 'the base_url of the provider in the catalogue names its host',
};

const AZURE_RESOURCE: Hints = {
  credential: 'look at api_key, and at whether it belongs to the resource of resource_name',
  permission: "look at the resource's network rules and at whether it admits API keys",
  location: 'look at resource_type, and at whether the resource has a deployment for the model',
  host: 'look at resource_name, which is the first part of the host',
};

const AZURE_DEPLOYMENT: Hints = {
  credential: 'look at api_key, and at whether it belongs to the resource of endpoint_url',
  permission: "look at the resource's network rules and at whether it admits API keys",
  location: 'look at endpoint_url, its api-version and model_id',
  host: 'look at endpoint_url',
};

const BEDROCK_CREDENTIAL = {
  api_key: 'look at the API key, which may have expired or belong to another region',
  access_key: 'look at accessKeyId and secretAccessKey',
} as const;

const BEDROCK: Omit<Hints, 'credential'> = {
  permission:
    'look at the permission bedrock:InvokeModel (for streams bedrock:InvokeModelWithResponseStream) and at the ' +
    "access to the model in the credential's region",
  location: 'look at region, where the model may not run',
  host: 'look at region, which is a part of the host',
};

const VERTEX: Hints = {
  credential: 'look at private_key, private_key_id and client_email, whose key may have been deleted',
  permission:
    'look at the permission aiplatform.endpoints.predict of client_email and at whether the Vertex AI API is enabled ' +
    'in project_id',
  location: 'look at project_id and at region, where the model may not run',
  host: 'look at token_uri and at region, which is a part of the host',
};
