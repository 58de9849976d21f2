/** Credentials of every provider kind, valid and invalid, each with a unique mark that must never be shown. */
import { generateKeyPairSync } from 'node:crypto';

/** A secret, with the texts that would reveal it. */
export interface Canary {
  readonly name: string;
  readonly texts: readonly string[];
}

/** A credential to store for a provider, and the texts of it that must not be returned. */
export interface CanaryCredential extends Canary {
  readonly provider: string;
  readonly key: unknown;
}

let count = 0;

/** A unique mark. */
export function mark(): string {
  count += 1;
  return `cnry${String(count).padStart(3, '0')}q7z`;
}

function credential(name: string, provider: string, build: (marked: string) => unknown): CanaryCredential {
  const text = mark();
  return { name, provider, key: build(text), texts: [text] };
}

function serviceAccount(marked: string, members: object = {}): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    type: 'service_account',
    project_id: 'my-project',
    private_key_id: `id-${marked}`,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: `gateway-${marked}@my-project.iam.gserviceaccount.com`,
    token_uri: 'https://oauth2.googleapis.com/token',
    ...members,
  };
}

const deployment = (marked: string, members: object = {}) => ({
  model_slug: 'openai/gpt',
  endpoint_url: 'https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=1',
  api_key: `az-${marked}-0123456789`,
  model_id: 'd',
  ...members,
});

/** Accepted credentials; those of the demo provider script its answers and failures. */
export function goodCredentials(): CanaryCredential[] {
  const scripts = [
    'status-401',
    'status-403',
    'status-429',
    'status-500',
    'reset',
    'malformed',
    'truncate',
    'echo',
  ];
  return [
    credential('openai', 'openai', (marked) => `sk-${marked}-0123456789`),
    credential('anthropic', 'anthropic', (marked) => `sk-ant-${marked}-0123456789`),
    credential('azure', 'azure', (marked) => [
      deployment(marked),
      { api_key: `az-${marked}-x`, resource_name: 'r' },
    ]),
    credential('bedrock, bare', 'amazon-bedrock', (marked) => `bedrock-${marked}-0123456789`),
    credential('bedrock', 'amazon-bedrock', (marked) => ({
      accessKeyId: `AKIA-${marked}-X`,
      secretAccessKey: `s-${marked}`,
      region: 'eu-west-1',
    })),
    credential('vertex', 'google-vertex', (marked) => serviceAccount(marked)),
    ...scripts.map((script) =>
      credential(`demo ${script}`, 'demo', (marked) => `demo-${script}-${marked}-0123`),
    ),
  ];
}

/** Refused credentials, each for another reason, with the mark in the value that breaks the rule. */
export function badCredentials(): CanaryCredential[] {
  return [
    credential('a space', 'openai', (marked) => `sk ${marked}`),
    credential('too long', 'openai', (marked) => marked.repeat(10_000)),
    credential('an object', 'openai', (marked) => ({ [marked]: marked })),
    credential('an array', 'anthropic', (marked) => [marked]),
    credential('an unknown provider', 'nobody', (marked) => `sk-${marked}`),
    credential('no JSON', 'azure', (marked) => `{"api_key": "${marked}`),
    credential('no array', 'azure', (marked) => ({ api_key: marked })),
    credential('an unknown member', 'azure', (marked) => [
      { api_key: marked, resource_name: 'r', [marked]: marked },
    ]),
    credential('a resource name', 'azure', (marked) => [{ api_key: 'x', resource_name: `${marked}.evil/` }]),
    credential('a resource type', 'azure', (marked) => [
      { api_key: 'x', resource_name: 'r', resource_type: marked },
    ]),
    credential('an URL', 'azure', (marked) => [
      deployment(marked, { endpoint_url: `https://u:${marked}@r.example/${marked}` }),
    ]),
    credential('a private host', 'azure', (marked) => [
      deployment(marked, { endpoint_url: `https://127.0.0.1/${marked}` }),
    ]),
    credential('a region', 'amazon-bedrock', (marked) => ({
      accessKeyId: 'x',
      secretAccessKey: marked,
      region: `${marked}!`,
    })),
    credential('a wrong type', 'amazon-bedrock', (marked) => ({
      accessKeyId: [marked],
      secretAccessKey: { marked },
    })),
    credential('a private key', 'google-vertex', (marked) =>
      serviceAccount(marked, { private_key: `-----BEGIN ${marked}` }),
    ),
    credential('a bucket', 'google-vertex', (marked) =>
      serviceAccount(marked, { bucket: `gs://b/${marked}` }),
    ),
    credential('a type', 'google-vertex', (marked) =>
      serviceAccount(marked, { type: marked, client_email: marked }),
    ),
    credential('a token URI', 'google-vertex', (marked) =>
      serviceAccount(marked, { token_uri: `http://${marked}` }),
    ),
  ];
}
