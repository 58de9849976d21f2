import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPrivateAddress, isPrivateHost } from '../../src/byok/kinds/private-address.js';

describe('a URL in a credential may not point at loopback, private or link-local addresses', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'api.localhost',
    'printer.local',
    'metadata.google.internal',
    'box.lan',
    'router.home.arpa',
    'database',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '0.0.0.0',
    '0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::1]',
    '::1',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:0:10.0.0.1]',
    '[0:0:0:0:0:ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fe80::1%25eth0]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[ff02::1]',
    '',
    'a b',
    'user@example.com',
    'example.com/path',
    '１２７.0.0.1',
  ])('%j is private', (host) => {
    expect(isPrivateHost(host)).toBe(true);
  });

  test.each([
    'example.com',
    'example.com.',
    'my-resource.openai.azure.com',
    'localhost.example.com',
    'internal.example.com',
    '8.8.8.8',
    '134744072',
    '172.32.0.1',
    '172.15.255.255',
    '100.128.0.1',
    '192.167.255.255',
    '223.255.255.255',
    '[2606:4700::1111]',
    '[::ffff:8.8.8.8]',
    '[64:ff9b::8.8.8.8]',
  ])('%j is public', (host) => {
    expect(isPrivateHost(host)).toBe(false);
  });

  test('an address of a resolver is checked too, with a zone or without', () => {
    expect(isPrivateAddress('fe80::1%eth0')).toBe(true);
    expect(isPrivateAddress('127.0.0.1')).toBe(true);
    expect(isPrivateAddress('1.1.1.1')).toBe(false);
    expect(isPrivateAddress('not an address')).toBe(true);
  });

  test('an IPv4 address has the same result in every spelling', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (number) => {
        const octets = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
        const dotted = octets.join('.');
        const hex = number.toString(16).padStart(8, '0');
        const answer = isPrivateAddress(dotted);
        expect(isPrivateHost(dotted)).toBe(answer);
        expect(isPrivateHost(String(number))).toBe(answer);
        expect(isPrivateHost(`0x${hex}`)).toBe(answer);
        expect(isPrivateHost(octets.map((octet) => `0${octet.toString(8)}`).join('.'))).toBe(answer);
        expect(isPrivateHost(`[::ffff:${dotted}]`)).toBe(answer);
        expect(isPrivateHost(`[::ffff:${hex.slice(0, 4)}:${hex.slice(4)}]`)).toBe(answer);
        expect(isPrivateHost(`[64:ff9b::${dotted}]`)).toBe(answer);
      }),
    );
  });
});
