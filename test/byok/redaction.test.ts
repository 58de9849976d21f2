import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import { Matcher } from '../../src/byok/redaction/matcher.js';
import { Redactor } from '../../src/byok/redaction/redactor.js';
import { type CredentialOrEntry, secret } from '../../src/byok/redaction/secrets.js';
import { spellingsOf } from '../../src/byok/redaction/spellings.js';

const KEY = 'sk-proj-R7+xQ/9mZpK2vT4wB8nL6cJ1hG5fD3sA0qWeRtYuIoP=';
const MARK = '[credential]';

const matcher = (...texts: string[]) => new Matcher(texts.map(secret));

/** Visible ASCII, as in keys, or a few letters only, so that pieces repeat. */
const keys = (min: number, max: number) =>
  fc.oneof(
    fc.string({ minLength: min, maxLength: max, unit: fc.integer({ min: 33, max: 126 }).map(letter) }),
    fc.string({ minLength: min, maxLength: max, unit: fc.constantFrom(...'abc') }),
  );

function letter(code: number): string {
  return String.fromCharCode(code);
}

/** Every substring of this length. */
function runs(text: string, length: number): Set<string> {
  return new Set(
    Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length)),
  );
}

function haveCommon(text: string, pieces: ReadonlySet<string>, length: number): boolean {
  return [...runs(text, length)].some((piece) => pieces.has(piece));
}

/** Encodings of a text, implemented independently of the product's. */
const ENCODERS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  JSON: (text) => JSON.stringify(text),
  'JSON, as PHP writes it': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'JSON, as .NET writes it': (text) =>
    text.replaceAll(
      /["&'+<>`\\]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    ),
  base64: (text) => btoa(text),
  'base64 behind one byte': (text) => btoa(`x${text}`),
  'base64 behind two bytes': (text) => btoa(`xy${text}`),
  'base64 in the midst': (text) => btoa(`Bearer ${text}; and more`),
  base64url: (text) => Buffer.from(`key:${text}`).toString('base64url'),
  hex: (text) => [...text].map((one) => one.charCodeAt(0).toString(16).padStart(2, '0')).join(''),
  'hex in capitals': (text) =>
    [...text]
      .map((one) => one.charCodeAt(0).toString(16).padStart(2, '0'))
      .join('')
      .toUpperCase(),
  'URL-encoded': (text) => encodeURIComponent(text),
  'URL-encoded in small letters': (text) =>
    encodeURIComponent(text).replaceAll(/%../g, (one) => one.toLowerCase()),
  'a query': (text) => `${new URLSearchParams({ key: text })}&more=1`,
};

describe('a secret in a provider’s answer', () => {
  describe.each(Object.entries(ENCODERS))('%s', (_, encode) => {
    it('is found whole, in members and in content, whatever surrounds it', () => {
      fc.assert(
        fc.property(keys(8, 80), fc.string(), fc.string(), (key, before, after) => {
          const found = matcher(key);
          const text = `${before}${encode(key)}${after}`;
          for (const told of [found.member(text), found.content(text)]) {
            expect(told).toContain(MARK);
            for (const spelling of spellingsOf(key)) expect(told.includes(spelling)).toBe(false);
          }
        }),
      );
    });

    it('leaves no 16 characters of itself in a member', () => {
      fc.assert(
        fc.property(
          keys(16, 100),
          fc.nat(99),
          fc.nat(99),
          fc.string(),
          fc.string(),
          (key, a, b, before, after) => {
            const encoded = encode(key);
            const piece = encoded.slice(Math.min(a, b), Math.max(a, b) + 16);
            const told = matcher(key).member(`${before}${piece}${after}`);
            for (const spelling of spellingsOf(key))
              expect(haveCommon(told, runs(spelling, 16), 16)).toBe(false);
          },
        ),
      );
    });
  });

  it('leaves everything else as it is, and does not even copy it', () => {
    fc.assert(
      fc.property(keys(16, 60), fc.string({ maxLength: 400 }), (key, text) => {
        const spelled = spellingsOf(key).map((spelling) => runs(spelling, 16));
        fc.pre(!spelled.some((pieces) => haveCommon(text, pieces, 16)));
        expect(matcher(key).member(text)).toBe(text);
        expect(matcher(key).content(text)).toBe(text);
      }),
    );
    expect(matcher(KEY).member(`…${KEY.slice(0, 15)}…`)).toBe(`…${KEY.slice(0, 15)}…`);
    expect(matcher(KEY).member(`before ${KEY.slice(3, 30)} after`)).toBe(`before ${MARK} after`);
    expect(matcher(KEY).member(KEY + KEY)).toBe(MARK);
    expect(matcher(KEY).member(`${KEY} ${KEY}`)).toBe(`${MARK} ${MARK}`);
  });

  it('is redacted in content only as a whole', () => {
    fc.assert(
      fc.property(keys(16, 60), fc.nat(58), (key, cut) => {
        fc.pre(new Set(key).size > 8);
        const piece = key.slice(0, Math.min(cut, key.length - 1));
        expect(matcher(key).content(`Your key begins with ${piece}… I think`)).toContain(piece);
      }),
    );
  });

  it('leaves nothing of the line of a private key of which only the beginning needs no escape', () => {
    const line = 'lhXLzdXSeOg0BH5cIE1eeNLSRLoXnRqivBlZl7ShANpVqfdDg75I/XIA9/qU8V+4';
    const before = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7/3dV+9kq'.padEnd(64, 'x');
    const after = Array.from({ length: 24 }, (_, at) => btoa(`${at}`.padStart(48, `${at * 7919}~`)));
    const key = { text: [before, line, ...after].join(''), minInContent: 48 };
    const written = line.replaceAll(/[+/]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
    expect(new Matcher([key]).content(`It is ${written}.`)).toBe(`It is ${MARK}.`);
  });

  it('of fewer than 16 characters is redacted only as a whole, of fewer than 8 not at all', () => {
    expect(matcher('changeme-please').member('changeme-pleas and changeme-please')).toBe(
      `changeme-pleas and ${MARK}`,
    );
    expect(matcher('changeme-please').content('changeme-please')).toBe(MARK);
    expect(matcher('changeme-please').member(`x${Buffer.from('changeme-please').toString('hex')}`)).toBe(
      `x${MARK}`,
    );
    expect(matcher('secret!').member('secret! secret!')).toBe('secret! secret!');
    expect(matcher().member('anything at all')).toBe('anything at all');
  });

  it('is one of many', () => {
    const others = Array.from({ length: 50 }, (_, index) => `key-${index}-${KEY}-${index}`);
    const told = matcher(...others).member(others.join(' '));
    expect(told).toBe(others.map(() => MARK).join(' '));
  });

  it('is searched for by its first 8192 characters', () => {
    const long = Array.from({ length: 2000 }, (_, index) => `${index * 7919}`).join('-');
    expect(long.length).toBeGreaterThan(8192);
    expect(matcher(long).member(long.slice(100, 200))).toBe(MARK);
    expect(matcher(long).content(`>${long}`)).toBe(`>${MARK}${long.slice(8192)}`);
  });
});

describe('the secrets of a credential', () => {
  const found = (credential: CredentialOrEntry, text: string) => Redactor.of(credential).member(text);
  const azure = {
    kind: 'resource',
    apiKey: KEY,
    resourceName: 'a-resource-of-ours',
    resourceType: 'catalog',
    apiVersion: null,
  } as const;

  it.each<[string, CredentialOrEntry, readonly string[], readonly string[]]>([
    ['a bare key', { adapter: 'openai', apiKey: KEY }, [KEY], []],
    ['an entry of Azure', azure, [KEY], ['a-resource-of-ours']],
    ['all entries of Azure', { adapter: 'azure', entries: [azure] }, [KEY], ['a-resource-of-ours']],
    [
      'an access key',
      {
        adapter: 'amazon-bedrock',
        kind: 'access_key',
        accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
        secretAccessKey: KEY,
        region: 'ap-southeast-1-and-more',
      },
      [KEY, 'AKIAIOSFODNN7EXAMPLE'],
      ['ap-southeast-1-and-more'],
    ],
  ])('%s', (_, credential, secrets, names) => {
    for (const text of secrets) expect(found(credential, text)).toBe(MARK);
    for (const name of names) expect(found(credential, name)).toBe(name);
  });

  it('and those derived from it, when they are added', () => {
    const credential = { adapter: 'openai', apiKey: KEY } as const;
    const token = { text: `ya29.${'0123456789abcdef'.repeat(4)}` };
    const signature = 'f'.repeat(30) + '0123456789'.repeat(3);
    expect(Redactor.of(credential).member(token.text)).toBe(token.text);
    const redactor = Redactor.of(credential).addToken(token).addSignature(signature);
    expect(redactor.member(`${KEY} ${token.text} ${signature}`)).toBe(`${MARK} ${MARK} ${MARK}`);
    expect(redactor.content(`${KEY} ${token.text} ${signature}`)).toBe(`${MARK} ${MARK} ${MARK}`);
  });
});

test('what is kept for a key that finds nothing takes less than 4 KiB', () => {
  const keys = Array.from(
    { length: 500 },
    (_, index) => `${KEY}${createHash('sha256').update(`${index}`).digest('hex')}`,
  );
  const before = kept();
  const matchers = keys.map((key) => new Matcher([secret(key)]));
  for (const one of matchers)
    expect(one.member('chatcmpl-9f8e7d6c5b4a39281706f5e4d3c2b1a0')).not.toContain(MARK);
  expect((kept() - before) / matchers.length).toBeLessThan(4 * 1024);
});

/** Bytes that are in use after a collection. */
function kept(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('one in fifty ordinary texts at most needs more than the filter', () => {
  const onCompiled = vi.fn();
  for (let index = 0; index < 2_000; index += 1) {
    const id = `chatcmpl-${createHash('sha256').update(`${index}`).digest('base64url')}`;
    new Matcher([secret(KEY)], spellingsOf, onCompiled).member(`{"id":"${id}","model":"model-${index}"}`);
  }
  expect(onCompiled.mock.calls.length).toBeLessThan(40);
});

describe('a search is linear in the length of the text', () => {
  const MIB = 1024 * 1024;
  const hostile: Readonly<Record<string, string>> = {
    'what begins as the key does': KEY.slice(0, 15),
    'the key but for its end': `${KEY.slice(0, -1)}!`,
    'the key itself': KEY,
    'one character': 'a',
    'its base64 but for its end': `${btoa(KEY).slice(0, -6)}!`,
  };

  it.each(Object.entries(hostile))('of 16 MiB of %s', (_, piece) => {
    const text = piece.repeat(Math.ceil((16 * MIB) / piece.length));
    const found = matcher(KEY);
    expect(found.content(text).length).toBeLessThanOrEqual(text.length);
    expect(found.member(text).length).toBeLessThanOrEqual(text.length);
  });

  it('of a repetitive secret in a text crafted for it: that is redacted as a whole', () => {
    const repeating = 'a'.repeat(8192);
    const text = `${'a'.repeat(15)}b`.repeat(MIB / 16);
    expect(matcher(repeating).member(text)).toBe(MARK);
  });

  it('a secret that has only one gram is found', () => {
    expect(matcher('abcdefgh').member('xxabcdefghyy')).toBe(`xx${MARK}yy`);
    expect(matcher('abcdefgh').content('xxabcdefghyy')).toBe(`xx${MARK}yy`);
  });
});
