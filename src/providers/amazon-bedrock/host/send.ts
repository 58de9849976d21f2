import type { Clock } from '../../../base/clock.js';
import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import type { Send } from '../../http/codec.js';
import type { Http } from '../../http/http.js';
import { regionOf } from './region.js';
import { sign, signatureIn } from './sigv4.js';

/** Headers that are signed in addition to host and body. */
const SIGNED_HEADERS = { 'content-type': 'application/json' };

function signedOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-amzn-'));
  return own.length === 0 ? SIGNED_HEADERS : { ...SIGNED_HEADERS, ...Object.fromEntries(own) };
}

/** Sends with an API key, or signed with an access key. */
export function sender(http: Http, clock: Clock): Send<BedrockCredential> {
  return ({ url, headers, body }, call, redactor) => {
    const { credential, signal, tenancy, hostHeaders, onSent } = call;
    const authorized =
      credential.kind === 'api_key'
        ? { ...SIGNED_HEADERS, authorization: `Bearer ${credential.apiKey}` }
        : sign({ url, headers: signedOf(headers), body }, credential, regionOf(call), clock.now());
    if (credential.kind === 'access_key') redactor.addSignature(signatureIn(authorized));
    return http.post({
      url,
      headers: { ...authorized, ...headers },
      body,
      signal,
      tenancy,
      hostHeaders,
      onSent,
    });
  };
}
