import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { statedSettings } from '../../src/config.js';

const FILES = ['Dockerfile', 'compose.yaml', 'kubernetes.yaml'].map((name) => `deploy/${name}`);
const IGNORE = readFileSync('.dockerignore', 'utf8').trim().split('\n');

test.each(FILES)('%s sets only variables that are read', (file) => {
  const named = readFileSync(file, 'utf8').match(/BYWAY_[A-Z_]+/g) ?? [];
  expect(statedSettings().known).toEqual(expect.arrayContaining(named));
});

test('an image is built from what the checkout has, and from nothing secret', () => {
  const [all, ...kept] = IGNORE;
  expect(all).toBe('*');
  for (const entry of kept) expect(existsSync(entry.replace(/^!/, ''))).toBe(true);
  expect(kept).not.toContain('!data');
});

test('every stage copies only what is in the context or in an earlier stage', () => {
  const copied = readFileSync('deploy/Dockerfile', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(' ').slice(1, -1));
  for (const path of copied.filter((path) => path !== '.')) expect(IGNORE).toContain(`!${path}`);
});

test('replicas and containers run as nobody special, on a root that they cannot write', () => {
  expect(readFileSync('deploy/Dockerfile', 'utf8')).toMatch(/^USER 1000:1000$/m);
  expect(readFileSync('deploy/compose.yaml', 'utf8')).toContain('read_only: true');
  const kubernetes = readFileSync('deploy/kubernetes.yaml', 'utf8');
  for (const rule of [
    'runAsNonRoot: true',
    'readOnlyRootFilesystem: true',
    'allowPrivilegeEscalation: false',
  ]) {
    expect(kubernetes).toContain(rule);
  }
  expect(kubernetes).toMatch(/livenessProbe:\s+httpGet:\s+path: \/healthz/);
  expect(kubernetes).toMatch(/readinessProbe:\s+httpGet:\s+path: \/readyz/);
});
