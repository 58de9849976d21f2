import { describe, expect, it } from 'vitest';
import { UpstreamFailure } from '../../src/inference/ports/failure.js';
import { DocumentNames } from '../../src/providers/amazon-bedrock/chat/media.js';
import { readDataUrl } from '../../src/providers/common/data-url.js';

const refuse = (what: string) => new UpstreamFailure(what, { kind: 'invalid_request' });
const MANY = 15_000_000;

describe('a data URL', () => {
  it.each([
    ['data:image/png;base64,AAAA', { mediaType: 'image/png', base64: 'AAAA' }],
    ['DATA:Image/PNG;charset=x;BASE64,AAAA', { mediaType: 'image/png', base64: 'AAAA' }],
    ['data:text/plain,a%20b', { mediaType: 'text/plain', base64: 'YSBi' }],
    ['data:,a', { mediaType: '', base64: 'YQ==' }],
    ['data:image/png;base64', undefined],
    ['https://a.example/data:,x', undefined],
    ['AAAA', undefined],
  ])('%s is %j', (url, expected) => {
    expect(readDataUrl(url, refuse)).toEqual(expected);
  });

  it.each([
    ['semicolons', `data:${';'.repeat(MANY)}`],
    ['parameters', `data:${';a'.repeat(MANY)},x`],
    ['a media type', `data:${'a'.repeat(MANY)},x`],
  ])('whose head is nothing but %s is none, found out at once', (_, url) => {
    const flat = Buffer.from(url).toString();
    const began = process.cpuUsage();
    expect(readDataUrl(flat, refuse)).toBeUndefined();
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(100);
  });
});

describe('names of documents for Converse', () => {
  it('are unique, and found at once however many files have one name', () => {
    const names = new DocumentNames();
    const began = process.cpuUsage();
    const given = Array.from({ length: 25_000 }, () => names.nameFor('a.pdf'));
    expect(new Set(given).size).toBe(given.length);
    expect(given.slice(0, 3)).toEqual(['a', 'a (2)', 'a (3)']);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(500);
  });

  it('avoid what another file is called', () => {
    const names = new DocumentNames();
    expect(['a (2)', 'a', 'a', 'a (2)'].map((name) => names.nameFor(name))).toEqual([
      'a (2)',
      'a',
      'a (3)',
      'a (2) (2)',
    ]);
  });
});
