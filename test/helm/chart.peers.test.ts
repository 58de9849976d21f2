import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.js';

/** The executable of https://helm.sh, which `npm run helm` installs. */
const { HELM } = process.env;
const CHART = 'deploy/chart';

/** Without a cluster Helm assumes one that is too old for the chart. */
const KUBERNETES = ['--kube-version', '1.31.0'];

const helm = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(HELM ?? '', args, { encoding: 'utf8' });
  return { status, stdout, stderr };
};

/** What the chart makes with these values, document by document. */
function rendered(...values: string[]): string[] {
  const settings = values.flatMap((value) => ['--set', value]);
  const { status, stdout, stderr } = helm('template', 'byway', CHART, ...KUBERNETES, ...settings);
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split(/^---$/m).filter((document) => document.trim() !== '');
}

const kindOf = (document: string) => /^kind: (\w+)$/m.exec(document)?.[1];
const ofKind = (documents: readonly string[], kind: string) =>
  documents.find((document) => kindOf(document) === kind) ?? '';

/** What stands between two lines of a document, without comments, blanks and what Helm adds. */
function specOf(document: string): string {
  return document
    .split('\n')
    .filter((line) => !/^\s*#|^\s*$|app\.kubernetes\.io|helm\.sh|terminationGracePeriodSeconds/.test(line))
    .join('\n')
    .replaceAll(/["']/g, '');
}

describe.runIf(HELM !== undefined)('the Helm chart', () => {
  it('passes the strict linter, alone and with everything switched on', () => {
    expect(helm('lint', '--strict', CHART)).toMatchObject({ status: 0 });
    const on = [
      'database=sqlite',
      'ingress.enabled=true',
      'serviceMonitor.enabled=true',
      'env.BYWAY_TLS_CERT=/c',
    ];
    const settings = on.flatMap((value) => ['--set', value]);
    expect(helm('lint', '--strict', CHART, ...settings)).toMatchObject({ status: 0 });
  });

  it('makes by default what deploy/kubernetes.yaml has', () => {
    const documents = rendered();
    expect(documents.map(kindOf).sort()).toEqual([
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ]);
    const manifest = readFileSync('deploy/kubernetes.yaml', 'utf8').split(/^---$/m);
    const containerOf = (document: string) => {
      const spec = specOf(document);
      return spec.slice(spec.indexOf('containers:'), spec.indexOf('volumes:')).replace(/ +image: .*\n/, '');
    };
    const lines = (text: string) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .sort();
    expect(lines(containerOf(ofKind(documents, 'Deployment')))).toEqual(
      lines(containerOf(ofKind(manifest, 'Deployment'))),
    );
  });

  it('runs one replica on a volume of its own on SQLite, and needs no database', () => {
    const documents = rendered('database=sqlite', 'replicas=3');
    expect(ofKind(documents, 'Deployment')).toMatch(/^ {2}replicas: 1$/m);
    expect(ofKind(documents, 'Deployment')).toContain('type: Recreate');
    expect(ofKind(documents, 'Deployment')).toContain('claimName: byway');
    expect(ofKind(documents, 'Deployment')).not.toContain('BYWAY_DATABASE_URL');
    expect(ofKind(documents, 'PersistentVolumeClaim')).toContain('helm.sh/resource-policy: keep');
    expect(ofKind(documents, 'NetworkPolicy')).not.toContain('5432');
    expect(documents.map(kindOf)).not.toContain('PodDisruptionBudget');
  });

  it('has a network policy that admits named services of the cluster, and no others', () => {
    const service = 'networkPolicy.services[0]';
    const [without = '', named = ''] = [
      rendered(),
      rendered(`${service}.namespace=models`, `${service}.podLabels.app=vllm`, `${service}.port=8000`),
    ].map((documents) => ofKind(documents, 'NetworkPolicy'));
    expect(without).not.toContain('namespaceSelector');
    expect(named).toMatch(
      /namespaceSelector:\s+matchLabels:\s+kubernetes.io\/metadata.name: models\s+podSelector:\s+matchLabels:\s+app: vllm\s+ports:\s+- port: 8000/,
    );
  });

  it('takes the image by its digest where there is one, else by tag, else by the version', () => {
    const imageOf = (...values: string[]) =>
      /image: "(.*)"/.exec(
        ofKind(rendered('image.repository=r.example/byway', ...values), 'Deployment'),
      )?.[1];
    const digest = `sha256:${'a'.repeat(64)}`;
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(imageOf()).toBe(`r.example/byway:${version}`);
    expect(imageOf('image.tag=next')).toBe('r.example/byway:next');
    expect(imageOf('image.tag=next', `image.digest=${digest}`)).toBe(`r.example/byway@${digest}`);
  });

  /** What the chart makes of a file of values, in which numbers and words are YAML's. */
  function renderedFrom(values: string): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'byway-values-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'values.yaml');
    writeFileSync(file, values);
    const { status, stdout, stderr } = helm('template', 'byway', CHART, ...KUBERNETES, '--values', file);
    expect([status, stderr]).toEqual([0, '']);
    return stdout.split(/^---$/m);
  }

  it('gives variables as they are read, whatever YAML makes of numbers and of on and off', () => {
    const deployment = ofKind(
      renderedFrom(
        [
          'env:',
          '  BYWAY_BILLING: off',
          '  BYWAY_ALLOW_PRIVATE_UPSTREAMS: true',
          '  BYWAY_TOTAL_TIMEOUT_MS: 1200000',
          '  BYWAY_TRUST_PROXY: 1',
          '  BYWAY_PUBLIC_URL: https://ai.example.com',
          '  BYWAY_DRAIN_MS: 3600000',
        ].join('\n'),
      ),
      'Deployment',
    );
    const given = Object.fromEntries(
      [...deployment.matchAll(/- name: (BYWAY_\w+)\n +value: "(.*)"/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
    expect(given).toEqual({
      BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
      BYWAY_BILLING: 'off',
      BYWAY_DRAIN_MS: '3600000',
      BYWAY_PUBLIC_URL: 'https://ai.example.com',
      BYWAY_TOTAL_TIMEOUT_MS: '1200000',
      BYWAY_TRUST_PROXY: '1',
    });
    expect(() => readConfig(given)).not.toThrow();
  });

  it('gives a pod 15 s more than BYWAY_DRAIN_MS to stop, or as long as it is told', () => {
    const graceOf = (...values: string[]) =>
      Number(/terminationGracePeriodSeconds: (\d+)/.exec(ofKind(rendered(...values), 'Deployment'))?.[1]);
    expect(graceOf()).toBe(40);
    expect(graceOf('env.BYWAY_DRAIN_MS=120000')).toBe(135);
    expect(graceOf('env.BYWAY_DRAIN_MS=1')).toBe(16);
    expect(graceOf('env.BYWAY_DRAIN_MS=120000', 'terminationGracePeriodSeconds=300')).toBe(300);
  });

  it('probes and scrapes by https where the port speaks TLS', () => {
    const documents = rendered('env.BYWAY_TLS_CERT=/etc/byway/tls.crt', 'serviceMonitor.enabled=true');
    expect(ofKind(documents, 'Deployment').match(/scheme: HTTPS/g)).toHaveLength(3);
    expect(ofKind(documents, 'ServiceMonitor')).toContain('scheme: https');
    expect(ofKind(rendered('serviceMonitor.enabled=true'), 'ServiceMonitor')).not.toContain('scheme');
  });

  it('mounts files of the operator, runs further containers, and admits further hosts', () => {
    const documents = renderedFrom(
      [
        'extraVolumes: [{name: authority, configMap: {name: company-ca}}]',
        'extraVolumeMounts: [{name: authority, mountPath: /etc/byway, readOnly: true}]',
        'extraContainers: [{name: sql, image: "sql:1"}]',
        'ingress: {enabled: true, host: ai.example.com, extraHosts: [eu.example.com], path: /llm, tlsSecret: t}',
      ].join('\n'),
    );
    const deployment = ofKind(documents, 'Deployment');
    expect(deployment).toMatch(/- mountPath: \/etc\/byway\n +name: authority\n +readOnly: true/);
    expect(deployment).toMatch(/- configMap:\n +name: company-ca\n +name: authority/);
    expect(deployment).toMatch(/^ {8}- image: sql:1\n {10}name: sql$/m);
    const ingress = ofKind(documents, 'Ingress');
    expect(ingress).toMatch(/- hosts:\n +- ai\.example\.com\n +- eu\.example\.com\n +secretName: t/);
    expect(ingress.match(/- host: (.*)/g)).toEqual(['- host: ai.example.com', '- host: eu.example.com']);
    expect(ingress.match(/path: (.*)/g)).toEqual(['path: /llm', 'path: /llm']);
  });

  it.each(['databse=sqlite', 'database=mysql', 'replicas=0', 'networkPolicy.services[0].port=1'])(
    'refuses %s, and names it',
    (value) => {
      const { status, stderr } = helm('template', 'byway', CHART, ...KUBERNETES, '--set', value);
      expect(status).toBe(1);
      expect(stderr).toContain(`${value.split(/[=.]/)[0]}`);
    },
  );
});
