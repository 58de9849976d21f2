import { describe, expect, it } from 'vitest';
import { networkFailure } from '../../src/providers/http/network-failure.js';

const withCode = (code: string) => Object.assign(new Error('10.1.2.3 said no'), { code });

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes (Node 24), but for `OUT_OF_MEM`. */
const CERTIFICATE_CODES = [
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_CHAIN_TOO_LONG',
  'CERT_SIGNATURE_FAILURE',
  'CRL_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CRL_LAST_UPDATE_FIELD',
  'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

describe('an error of the network', () => {
  it.each([
    ...CERTIFICATE_CODES.map((code) => ['tls', code]),
    ...['ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO'].map((code) => [
      'tls',
      code,
    ]),
    ...['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ESERVFAIL'].map((code) => ['dns', code]),
    ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'].map((code) => ['connect', code]),
    ...['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].map((code) => ['reset', code]),
    ...['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'].map((code) => ['timeout', code]),
  ])('is %s with words and advice, without the address that it names: %s', (error, code) => {
    const failure = networkFailure(withCode(code), 'request');
    expect(failure).toMatchObject({
      ...{ error, status: null },
      network: { code, what: expect.any(String), advice: expect.any(String) },
    });
    expect(JSON.stringify(failure)).not.toContain('10.1.2.3');
  });
});
