/** A service account whose public key the fake knows. */
import { generateKeyPairSync } from 'node:crypto';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

export const PUBLIC_KEY = rsa.publicKey;
export const PRIVATE_KEY_PEM = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export const PROJECT_ID = 'fake-project';
export const PRIVATE_KEY_ID = 'fakekeyid0123456789abcdef';
export const CLIENT_EMAIL = 'gateway@fake-project.iam.gserviceaccount.com';

/** The JSON key as it is downloaded, but for where its tokens come from. */
export function serviceAccount(tokenUri: string, more: object = {}): string {
  return JSON.stringify({
    type: 'service_account',
    project_id: PROJECT_ID,
    private_key_id: PRIVATE_KEY_ID,
    private_key: PRIVATE_KEY_PEM,
    client_email: CLIENT_EMAIL,
    client_id: '1234567890',
    auth_uri: 'https://accounts.google.com/o/oauth2/auth',
    token_uri: tokenUri,
    auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
    client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/gateway',
    universe_domain: 'googleapis.com',
    ...more,
  });
}
