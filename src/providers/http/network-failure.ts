import {
  explained,
  type NetworkDetail,
  type NetworkReason,
  UpstreamFailure,
} from '../../inference/ports/failure.js';
import { connectionTimeout, malformed, reset, truncated, unreachable } from '../common/failures.js';
import { ProxyError } from './proxy.js';
import { undici } from './undici.js';

/** Whether the response had begun. */
export type Phase = 'request' | 'answer';

/**
 * Makes an `UpstreamFailure` of a network error, which becomes its cause. The cause's message is only for the log,
 * since it contains addresses. Other errors (aborts, bugs) are returned unchanged.
 */
export function networkFailure(error: unknown, phase: Phase): unknown {
  if (error instanceof ProxyError) return proxyFailure(error);
  // Most errors of undici's parser have no code.
  if (error instanceof undici().errors.HTTPParserError && error.code === undefined) return malformed(error);
  const code = codeOf(error);
  if (code === undefined || error instanceof DOMException) return error;
  const known = FAILURE_BY_CODE.get(code);
  if (known !== undefined) return known(error, troubleOf(code));
  if (code.startsWith('HPE_')) return malformed(error);
  if (code.startsWith('UND_ERR_')) return error;
  if (phase === 'answer') return reset(error, troubleOf(code));
  return unreachable(reasonOf(code), error, troubleOf(code));
}

/**
 * Says why a host that the operator named did not answer within `timeoutMs`, and what to do about it. Only for the
 * operator. Other errors are described by their own messages.
 */
export function unansweredWords(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'TimeoutError') return `it took more than ${timeoutMs / 1000} s`;
  if (!(error instanceof UpstreamFailure) || error.network === null) return error.message;
  const message = explained(error).replace('the provider', 'the host');
  return error.network.advice === null ? message : `${message}; ${error.network.advice}`;
}

type Make = (cause: unknown, trouble: NetworkDetail) => UpstreamFailure;

const FAILURE_BY_CODE: ReadonlyMap<string, Make> = new Map([
  ['ECONNRESET', reset],
  ['EPIPE', reset],
  ['UND_ERR_SOCKET', reset],
  ['HPE_INVALID_EOF_STATE', reset],
  ['ETIMEDOUT', connectionTimeout],
  ['UND_ERR_CONNECT_TIMEOUT', connectionTimeout],
  ['UND_ERR_HEADERS_OVERFLOW', malformed],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', truncated],
]);

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/**
 * Codes of OpenSSL's verification have no common form (https://nodejs.org/api/tls.html#x509-certificate-error-codes).
 */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'INVALID_CA',
  'CERT_CHAIN_TOO_LONG',
]);

const OTHER_TLS =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|EPROTO$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$|PATH_LENGTH_EXCEEDED$)/;

/** Error codes of `getaddrinfo`, and of name servers (https://nodejs.org/api/dns.html#error-codes). */
const DNS = /^(?:ENOTFOUND|EAI_[A-Z]+|ENODATA|ESERVFAIL|EBADNAME)$/;

function reasonOf(code: string): NetworkReason {
  if (UNTRUSTED.has(code) || OTHER_TLS.test(code)) return 'tls';
  return DNS.test(code) ? 'dns' : 'connect';
}

const RESOLVING =
  'look at the host of its URL and at the name server; where only a proxy resolves names, set HTTPS_PROXY';

/** What went wrong and what to do about it. The first that matches applies. */
const TROUBLES: readonly (readonly [(code: string) => boolean, string | null, string | null])[] = [
  [
    (code) => UNTRUSTED.has(code),
    'its certificate is signed by an authority that the gateway does not trust',
    'if that is a private authority, start the gateway with NODE_EXTRA_CA_CERTS=FILE, its certificate in PEM',
  ],
  [
    is('CERT_HAS_EXPIRED'),
    'its certificate has expired',
    "renew it at the host, or set this machine's clock",
  ],
  [is('CERT_NOT_YET_VALID'), 'its certificate is not valid yet', "set this machine's clock"],
  [
    is('ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'),
    'its certificate is for another host name',
    'call the host by a name that its certificate has',
  ],
  [
    (code) => OTHER_TLS.test(code),
    'no TLS connection could be agreed on',
    'look at scheme and port of its URL: it may serve http or an old version of TLS, or demand a certificate of its clients',
  ],
  [is('ENOTFOUND', 'ENODATA', 'EBADNAME'), 'its host name does not resolve', RESOLVING],
  [(code) => DNS.test(code), 'the name server gave no answer for its host name', RESOLVING],
  [
    is('ECONNREFUSED'),
    'the host refused it',
    'look at host and port of its URL, and whether the server runs there',
  ],
  [
    is('EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL'),
    'no route leads to the host',
    'look at network and firewall; where a proxy leads out, set HTTPS_PROXY',
  ],
  [
    is('ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'),
    'the host, or what stands before it, closed the connection',
    'try again; if it stays so, look at firewalls and at scheme and port of its URL',
  ],
  [
    is('ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'),
    'the host did not answer',
    'look at network and firewall; where a proxy leads out, set HTTPS_PROXY',
  ],
];

function is(...codes: readonly string[]): (code: string) => boolean {
  return (code) => codes.includes(code);
}

function troubleOf(code: string): NetworkDetail {
  const [, what = null, advice = null] = TROUBLES.find(([matches]) => matches(code)) ?? [];
  return { code, what, advice };
}

const PROXY_CREDENTIALS = 407;

function proxyFailure(error: ProxyError): UpstreamFailure {
  const { status, cause } = error;
  if (status === null) {
    const code = codeOf(cause) ?? error.code;
    const { what } = troubleOf(code);
    return unreachable('proxy', error, {
      code,
      what: `the gateway's proxy can't be reached${what === null ? '' : ` (${what.replace(/\bits\b/, "the proxy's")})`}`,
      advice: 'look at HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the gateway',
    });
  }
  const code = `PROXY_${status}`;
  return status === PROXY_CREDENTIALS
    ? unreachable('proxy', error, {
        code,
        what: "the gateway's proxy refused its user name and password",
        advice: 'set them in the URL of HTTPS_PROXY or HTTP_PROXY',
      })
    : unreachable('proxy', error, {
        code,
        what: `the gateway's proxy answered with status ${status}`,
        advice: "look at the proxy's log and rules; NO_PROXY names hosts that are called without it",
      });
}
