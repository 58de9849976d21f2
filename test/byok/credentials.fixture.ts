/** Credentials of every kind for tests; each secret part contains the canary, so that any leak is detected. */
import { generateKeyPairSync } from 'node:crypto';
import type { AdapterName } from '../../src/catalog/types.js';

/** A text that must never leave the vault. */
export const CANARY = 'canaryQ7';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A service account as downloaded. */
export const SERVICE_ACCOUNT = {
  type: 'service_account',
  project_id: 'my-project',
  private_key_id: `id-${CANARY}`,
  private_key: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  client_email: `gateway-${CANARY}@my-project.iam.gserviceaccount.com`,
  client_id: '1234567890',
  auth_uri: 'https://accounts.google.com/o/oauth2/auth',
  token_uri: 'https://oauth2.googleapis.com/token',
  auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
  client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/gateway',
  universe_domain: 'googleapis.com',
};

export const ACCESS_KEY = {
  accessKeyId: `AKIA${CANARY}EXAMPLE`,
  secretAccessKey: `wJalr/${CANARY}/bPxRfiCYEXAMPLEKEY`,
  region: 'eu-central-1',
};

export const RESOURCE = { api_key: `az-${CANARY}-0123456789`, resource_name: 'my-resource' };

export const DEPLOYMENT = {
  model_slug: 'openai/gpt-5.4',
  endpoint_url:
    'https://my-resource.openai.azure.com/openai/deployments/prod/chat/completions?api-version=2024-10-21',
  api_key: `az-${CANARY}-deployment`,
  model_id: 'prod',
};

/** A valid credential of each kind. */
export const SAMPLES: Readonly<Record<AdapterName, string>> = {
  openai: `sk-proj-${CANARY}-0123456789`,
  anthropic: `sk-ant-${CANARY}-0123456789`,
  demo: `demo key ${CANARY}`,
  azure: JSON.stringify([DEPLOYMENT, RESOURCE]),
  'amazon-bedrock': JSON.stringify(ACCESS_KEY),
  'google-vertex': JSON.stringify(SERVICE_ACCOUNT),
};

/** A short-term Bedrock key: a presigned URL in base64. */
export function shortTermBedrockKey(region: string): string {
  const query = new URLSearchParams({
    Action: 'CallWithBearerToken',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `AKIAEXAMPLE/20261121/${region}/bedrock/aws4_request`,
    'X-Amz-Date': '20261121T000000Z',
    'X-Amz-Expires': '43200',
  });
  return `bedrock-api-key-${Buffer.from(`bedrock.amazonaws.com/?${query}&Version=1`).toString('base64')}`;
}
