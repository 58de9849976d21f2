import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { KILL_AFTER_MS } from '../../src/cli/start/supervise.js';
import { givenSettings, readConfig } from '../../src/config/config.js';
import { MAX_AFTER_DRAIN_MS } from '../../src/server/health/drain.js';
import { privateAuthority } from '../support/certificates.js';

const FILES = ['Dockerfile', 'compose.yaml', 'kubernetes.yaml'].map((name) => `deploy/${name}`);
const CHART = ['values.yaml', 'templates/deployment.yaml'].map((name) => `deploy/chart/${name}`);
const IGNORE = readFileSync('.dockerignore', 'utf8').trim().split('\n');

test.each([...FILES, ...CHART, 'deploy/make-env.sh'])('%s sets only variables that are read', (file) => {
  const named = readFileSync(file, 'utf8').match(/BYWAY_[A-Z_]+/g) ?? [];
  expect(givenSettings().known).toEqual(expect.arrayContaining(named));
});

test('an image is built from files of the checkout, none of them secret', () => {
  const [all, ...included] = IGNORE;
  expect(all).toBe('*');
  for (const entry of included) expect(existsSync(entry.replace(/^!/, ''))).toBe(true);
  expect(included).not.toContain('!data');
});

test('every stage copies only what is in the context or in an earlier stage', () => {
  const copied = readFileSync('deploy/Dockerfile', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(' ').slice(1, -1));
  for (const path of copied.filter((path) => path !== '.')) expect(IGNORE).toContain(`!${path}`);
});

test('the compose file gets its secrets from a script: random, readable by one user, never overwritten', () => {
  const [first, second] = [emptyFolder(), emptyFolder()].map((folder) => {
    copyFileSync('deploy/make-env.sh', join(folder, 'make-env.sh'));
    const file = join(folder, '.env');
    const make = () => spawnSync('sh', [join(folder, 'make-env.sh')], { encoding: 'utf8' });
    expect(make()).toMatchObject({ status: 0, stderr: '' });
    const made = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(make()).toMatchObject({ status: 1, stderr: expect.stringContaining('exists already') });
    expect(readFileSync(file, 'utf8')).toBe(made);
    return settingsIn(made);
  });
  for (const name of ['BYWAY_MASTER_KEY', 'POSTGRES_PASSWORD'])
    expect(first?.[name]).not.toBe(second?.[name]);
  expect(Buffer.from(first?.BYWAY_MASTER_KEY ?? '', 'base64')).toHaveLength(32);
  expect(first?.POSTGRES_PASSWORD).toMatch(/^[0-9a-f]{48}$/);
  const compose = readFileSync('deploy/compose.yaml', 'utf8');
  const wanted = [...compose.matchAll(/\$\{([A-Z_]+):[?-]/g)].map((match) => match[1]);
  expect(new Set(wanted)).toEqual(new Set(Object.keys(first ?? {})));
  expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('/deploy/.env');
});

test('a container reaches model servers on its machine by a name', () => {
  const compose = readFileSync('deploy/compose.yaml', 'utf8');
  expect(compose).toMatch(/extra_hosts:\n +- "host.docker.internal:host-gateway"/);
});

test('package, lock file, chart and manifest are of one version', () => {
  const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const { version } = json('package.json');
  const lock = json('package-lock.json');
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  const chart = readFileSync('deploy/chart/Chart.yaml', 'utf8');
  expect(chart).toMatch(new RegExp(`^version: ${version}$`, 'm'));
  expect(chart).toMatch(new RegExp(`^appVersion: "${version}"$`, 'm'));
  expect(readFileSync('deploy/kubernetes.yaml', 'utf8')).toContain(`image: byway:${version}\n`);
});

test('the command line is on the path of the image, and what it says of itself goes through it', () => {
  const dockerfile = readFileSync('deploy/Dockerfile', 'utf8');
  expect(dockerfile).toContain('> /usr/local/bin/byway');
  expect(dockerfile).toMatch(/^ENTRYPOINT \["byway"\]$/m);
  for (const file of FILES.slice(1)) expect(readFileSync(file, 'utf8')).not.toContain('dist/src/main.js');
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'byway-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The variables of an environment file. */
function settingsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

test('every image that is not built here is named by its digest', () => {
  const [dockerfile = '', compose = ''] = FILES.map((file) => readFileSync(file, 'utf8'));
  const pinned = /^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/;
  expect(/^ARG NODE_IMAGE=(.*)$/m.exec(dockerfile)?.[1]).toMatch(pinned);
  expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24\./m);
  for (const [, image = ''] of dockerfile.matchAll(/^FROM (\S+)/gm)) {
    expect([`$${'{NODE_IMAGE}'}`, 'base']).toContain(image);
  }
  for (const [, image] of compose.matchAll(/^ +image: (.*)$/gm)) expect(image).toMatch(pinned);
});

test('no container keeps a capability, and none can gain any', () => {
  const compose = readFileSync('deploy/compose.yaml', 'utf8');
  const services = compose.slice(compose.indexOf('services:'), compose.indexOf('\nvolumes:'));
  for (const service of services.split(/^ {2}(?=\w)/m).slice(1)) {
    expect(service).toMatch(/^ {4}cap_drop:\n {6}- ALL$/m);
    expect(service).toContain('no-new-privileges:true');
    expect(service).not.toContain('cap_add');
  }
});

test('Kubernetes sets no variables with our prefix, and its network policy allows what a gateway needs', () => {
  const kubernetes = readFileSync('deploy/kubernetes.yaml', 'utf8');
  expect(kubernetes).toContain('enableServiceLinks: false');
  expect(kubernetes).toMatch(
    /namespaceSelector: \{\}\n +podSelector:\n +matchLabels:\n +byway-upstream: "true"/,
  );
  const policy = kubernetes.split('---').find((document) => document.includes('kind: NetworkPolicy')) ?? '';
  expect(policy).toMatch(/policyTypes:\n +- Ingress\n +- Egress\n/);
  expect(policy.match(/port: (\S+)/g)).toEqual([
    'port: http',
    'port: 53',
    'port: 53',
    'port: 443',
    'port: 5432',
  ]);
});

test('compose gives every variable of its file to the gateway', () => {
  const compose = readFileSync('deploy/compose.yaml', 'utf8');
  const byway = compose.slice(compose.indexOf('\n  byway:'), compose.indexOf('\n  database:'));
  expect(byway).toMatch(/^ {4}env_file:\n {6}- \.env$/m);
});

test.each([
  ['in clear', {}],
  ['over TLS', { BYWAY_TLS_CERT: '/etc/byway/tls.crt' }],
] as const)('the image is healthy while its port answers %s, and not otherwise', async (way, env) => {
  const probe = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(
    readFileSync('deploy/Dockerfile', 'utf8').replaceAll('\\\n', ''),
  );
  const [program = '', ...args] = JSON.parse(probe?.[1] ?? '[]');
  let status = 200;
  const answer: http.RequestListener = ({ url }, response) =>
    void response.writeHead(url === '/healthz' ? status : 404).end();
  const server =
    way === 'in clear'
      ? http.createServer(answer)
      : https.createServer({ ...privateAuthority().issue('DNS:ai.example.com') }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const run = promisify(execFile);
  const isHealthy = () =>
    run(program, args, { env: { PATH: process.env.PATH, PORT: String(port), ...env } }).then(
      () => true,
      () => false,
    );
  expect(await isHealthy()).toBe(true);
  status = 500;
  expect(await isHealthy()).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(await isHealthy()).toBe(false);
});

test('no manifest prints keys to a log', () => {
  for (const file of FILES) {
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('--print-keys');
    expect(text).toContain('first-start.json');
  }
});

test('replicas and containers run without privileges, on a read-only root', () => {
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

test('every manifest gives a stop more time than it takes', () => {
  const { drainMs } = readConfig({});
  const supervisedMs = drainMs + MAX_AFTER_DRAIN_MS + KILL_AFTER_MS;
  const compose = readFileSync('deploy/compose.yaml', 'utf8');
  const graceMs = 1000 * Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1]);
  expect(graceMs).toBe(40_000);
  expect(graceMs).toBeGreaterThan(supervisedMs);
  const kubernetes = readFileSync('deploy/kubernetes.yaml', 'utf8');
  const preStopMs = Number(/setTimeout\(\(\) => \{\}, (\d+)\)/.exec(kubernetes)?.[1]);
  expect(1000 * Number(/terminationGracePeriodSeconds: (\d+)/.exec(kubernetes)?.[1])).toBe(40_000);
  expect(40_000).toBeGreaterThan(preStopMs + supervisedMs);
});
