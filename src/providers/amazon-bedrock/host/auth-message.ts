import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
/** Messages about refused credentials that tell their owner or the operator what to do. */

/** How the provider refused the credential. */
export interface AuthError {
  /** The error's type in lower case; empty if it has none. */
  readonly type: string;
  readonly providerMessage: string | undefined;
  /** The provider's clock, as an HTTP date. */
  readonly date: string | undefined;
}

/** The message for the caller; undefined if nothing is known about the error. `now` in Unix milliseconds. */
export function authMessage(error: AuthError, context: RequestContext, now: number): string | undefined {
  const { type, providerMessage = '' } = error;
  if (context.credential.kind === 'access_key' && isAboutSignature(error))
    return signatureMessage(error, now);
  if (type.startsWith('expiredtoken') || /\bexpired\b/i.test(providerMessage))
    return EXPIRED[context.credential.kind];
  if (UNKNOWN_CLIENT.test(type) || containsInOrder(providerMessage, 'security token ', ' is invalid')) {
    return 'The security token is invalid: the provider does not know the access key, or it is inactive';
  }
  if (
    context.credential.kind === 'api_key' &&
    (providerMessage === '' || /authentication failed|api key/i.test(providerMessage))
  ) {
    return `The provider refuses the API key in ${context.region}: it is wrong, has expired, or belongs to another region`;
  }
  return type === 'accessdeniedexception' || /access|authorized/i.test(providerMessage)
    ? deniedMessage(providerMessage, context)
    : error.providerMessage;
}

/** Whether the text contains `first` and, somewhere after it, `second`; case-insensitive. */
function containsInOrder(text: string, first: string, second: string): boolean {
  const lower = text.toLowerCase();
  const at = lower.indexOf(first);
  return at !== -1 && lower.includes(second, at + first.length - 1);
}

const EXPIRED = {
  api_key: 'The API key has expired',
  access_key: 'The security token has expired',
} as const;

const UNKNOWN_CLIENT = /^(?:unrecognizedclient|invalidclienttokenid)/;

function isAboutSignature({ type, providerMessage = '' }: AuthError): boolean {
  return /signature|^requestexpired/.test(type) || /\bsignature\b/i.test(providerMessage);
}

/** Signatures are valid for five minutes in either direction. The network takes a part of that. */
const MAX_SKEW_MS = 4 * 60_000;

function signatureMessage({ type, providerMessage = '', date }: AuthError, now: number): string {
  const skewMs = Date.parse(date ?? '') - now;
  if (Math.abs(skewMs) > MAX_SKEW_MS) {
    const minutes = Math.round(Math.abs(skewMs) / 60_000);
    const direction = skewMs > 0 ? 'behind' : 'ahead of';
    return `The clock of this gateway is ${minutes} minutes ${direction} the provider's: it refuses signatures until the clock is set right`;
  }
  if (type === 'requestexpired' || /expired|not yet current/i.test(providerMessage)) {
    return 'The provider holds the signature for expired: the clock of this gateway may be wrong';
  }
  return 'The provider refuses the signature: the secret access key is wrong';
}

/** Names the missing permission if the provider does, else all that may be missing. */
function deniedMessage(providerMessage: string, { region, isStreamed }: RequestContext): string {
  const [permission] = /\bbedrock:[A-Za-z]+/.exec(providerMessage) ?? [];
  if (permission !== undefined) return `The credential lacks the permission ${permission}`;
  const needed = isStreamed ? 'bedrock:InvokeModelWithResponseStream' : 'bedrock:InvokeModel';
  return `The credential has no access to the model in ${region}: it has to be enabled there, and the permission ${needed} is needed`;
}

/** What error messages need to know of the request. */
export interface RequestContext {
  readonly credential: BedrockCredential;
  readonly region: string;
  readonly isStreamed: boolean;
}
