import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SERVICE_ACCOUNT } from './credentials.fixture.js';
import { read, violations } from './parse.fixture.js';

const PUBLIC = { type: 'spki', format: 'pem' } as const;
const rsa = (type: 'pkcs1' | 'pkcs8', modulusLength = 2048) =>
  generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: PUBLIC,
    privateKeyEncoding: { type, format: 'pem' },
  }).privateKey;

/** DER (X.690). */
function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.of(tag, 0x84), length, content]);
}
const integer = (bytes: Buffer) => element(0x02, Buffer.of(0), bytes);
const name = (hex: string) => element(0x06, Buffer.from(hex, 'hex'));
const large = (bytes: number) => integer(Buffer.alloc(bytes, 0xff));
const VERSION = integer(Buffer.of(0));
const THREE = integer(Buffer.of(3));

function pem(label: string, der: Buffer): string {
  return `-----BEGIN ${label}-----\n${der.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;
}

const pkcs8 = (algorithm: Buffer, key: Buffer) =>
  pem('PRIVATE KEY', element(0x30, VERSION, algorithm, element(0x04, key)));

/** An RSA key with some of its numbers, or some behind them, replaced. */
function rsaWith(parts: Readonly<Record<number, Buffer>>, ...behind: readonly Buffer[]): Buffer {
  const { n, e, d, p, q, dp, dq, qi } = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(
    {
      format: 'jwk',
    },
  );
  const numbers = [n, e, d, p, q, dp, dq, qi].map((one) => integer(Buffer.from(one ?? '', 'base64url')));
  return element(0x30, ...[VERSION, ...numbers].map((number, at) => parts[at] ?? number), ...behind);
}

const RSA = element(0x30, name('2a864886f70d010101'), element(0x05));
const dsa = (bytes: number) =>
  element(0x30, name('2a8648ce380401'), element(0x30, large(bytes), large(bytes), THREE));
const dh = (bytes: number) => element(0x30, name('2a864886f70d010301'), element(0x30, large(bytes), THREE));

describe('the private key of a service account', () => {
  test.each([
    ['of PKCS #8', rsa('pkcs8')],
    ['of PKCS #1', rsa('pkcs1')],
    ['with space around it', `\n ${rsa('pkcs8')} \n`],
    ['with line breaks of Windows', rsa('pkcs8').replaceAll('\n', '\r\n')],
    ['of 4096 bits', rsa('pkcs8', 4096)],
  ])('%s is read', (_, private_key) => {
    expect(read('google-vertex', { ...SERVICE_ACCOUNT, private_key }).privateKey.asymmetricKeyType).toBe(
      'rsa',
    );
  });

  test.each([
    ['for DSA, whose public half OpenSSL would compute', pkcs8(dsa(8000), large(8000))],
    [
      'for DSA that calls itself one for RSA',
      pem('RSA PRIVATE KEY', element(0x30, VERSION, ...Array(5).fill(large(4000)))),
    ],
    ['for DSA by its label', pem('DSA PRIVATE KEY', element(0x30, VERSION, ...Array(5).fill(large(4000))))],
    ['for Diffie-Hellman', pkcs8(dh(1250), large(1249))],
    ['with a prime larger than any key', pkcs8(RSA, rsaWith({ 5: large(8000), 7: large(8000) }))],
    ['with a large exponent', pem('RSA PRIVATE KEY', rsaWith({ 7: large(20_000) }))],
    ['with a large public exponent', pem('RSA PRIVATE KEY', rsaWith({ 2: large(20_000) }))],
    [
      'with further primes',
      pem('RSA PRIVATE KEY', rsaWith({}, element(0x30, element(0x30, large(8000), large(8000), THREE)))),
    ],
    ['that is cut off', pem('PRIVATE KEY', Buffer.from('3082', 'hex'))],
    ['of a length that is not told', pem('RSA PRIVATE KEY', Buffer.from('30800201000000', 'hex'))],
    ['that is encrypted', pem('ENCRYPTED PRIVATE KEY', element(0x30, RSA, element(0x04)))],
    ['of two labels', rsa('pkcs1').replace('BEGIN RSA ', 'BEGIN ')],
  ])('%s is refused before anything is computed with it', (_, private_key) => {
    const before = process.cpuUsage();
    expect(violations('google-vertex', { ...SERVICE_ACCOUNT, private_key })).toEqual(['key.private_key pem']);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(100);
  });
});
