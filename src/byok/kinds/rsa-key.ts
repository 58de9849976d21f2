/**
 * Reads RSA private keys that anybody may send. OpenSSL bounds no part of a key, and computes with it: at once (the
 * public half of a key for DSA or Diffie-Hellman) or with each signature. A few kilobytes can take minutes. So a key's
 * structure is looked at first (PKCS #1, RFC 8017 appendix A.1.2; PKCS #8, RFC 5208).
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';

/** The time of a signature grows with the cube of the key's length. Service accounts have 2048 bits. */
export const MAX_MODULUS_BITS = 8192;

/** The longest number that a key may contain: its modulus, with one byte more where its first bit is set. */
const MAX_NUMBER_BYTES = MAX_MODULUS_BITS / 8 + 1;

/** Version, modulus, both exponents, two primes with their exponents, and the coefficient; more is of further primes. */
const NUMBERS = 9;

const PEM = /^-----BEGIN (RSA )?PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END (RSA )?PRIVATE KEY-----$/;

const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;

/** 1.2.840.113549.1.1.1 */
const RSA_ENCRYPTION = Buffer.from('2a864886f70d010101', 'hex');

/** The key in a PEM text; undefined for anything but an RSA private key of two primes and at most 8192 bits. */
export function readRsaKey(pem: string): KeyObject | undefined {
  const [, head, base64, foot] = PEM.exec(pem.trim()) ?? [];
  if (base64 === undefined || head !== foot) return undefined;
  const der = Buffer.from(base64, 'base64');
  const type = head === undefined ? 'pkcs8' : 'pkcs1';
  const numbers = type === 'pkcs8' ? rsaKeyIn(der) : der;
  if (numbers === undefined || !isBounded(numbers)) return undefined;
  try {
    const key = createPrivateKey({ key: der, format: 'der', type });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? Number.POSITIVE_INFINITY;
    return bits <= MAX_MODULUS_BITS ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The PKCS #1 key in one of PKCS #8. */
function rsaKeyIn(der: Buffer): Buffer | undefined {
  const [, algorithm, key] = elementsOf(contentOf(der, SEQUENCE)) ?? [];
  const [name] = elementsOf(contentIf(algorithm, SEQUENCE)) ?? [];
  return contentIf(name, OBJECT_IDENTIFIER)?.equals(RSA_ENCRYPTION) === true
    ? contentIf(key, OCTET_STRING)
    : undefined;
}

function isBounded(der: Buffer): boolean {
  const numbers = elementsOf(contentOf(der, SEQUENCE));
  return (
    numbers?.length === NUMBERS &&
    numbers.every(({ tag, content }) => tag === INTEGER && content.length <= MAX_NUMBER_BYTES)
  );
}

/** A value in DER (X.690). */
interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

function contentOf(der: Buffer, tag: number): Buffer | undefined {
  return contentIf(elementsOf(der)?.[0], tag);
}

function contentIf(element: Element | undefined, tag: number): Buffer | undefined {
  return element?.tag === tag ? element.content : undefined;
}

/** What stands one after the other; undefined where it is cut off, or more than a key has. */
function elementsOf(bytes: Buffer | undefined): readonly Element[] | undefined {
  if (bytes === undefined) return undefined;
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag, first] = [bytes[at], bytes[at + 1]];
    if (tag === undefined || first === undefined || elements.length > NUMBERS) return undefined;
    const lengthBytes = first < LONG_LENGTH ? 0 : first - LONG_LENGTH;
    const start = at + 2 + lengthBytes;
    if (lengthBytes > MAX_LENGTH_BYTES || start > bytes.length || first === LONG_LENGTH) return undefined;
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    if (start + length > bytes.length) return undefined;
    elements.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}

/** From here on a length's first byte tells how many follow; alone it begins a length that is not told. */
const LONG_LENGTH = 0x80;
const MAX_LENGTH_BYTES = 4;
