import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

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
    const on = ['database=sqlite', 'ingress.enabled=true', 'serviceMonitor.enabled=true'];
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

  it.each(['databse=sqlite', 'database=mysql', 'replicas=0', 'networkPolicy.services[0].port=1'])(
    'refuses %s, and names it',
    (value) => {
      const { status, stderr } = helm('template', 'byway', CHART, ...KUBERNETES, '--set', value);
      expect(status).toBe(1);
      expect(stderr).toContain(`${value.split(/[=.]/)[0]}`);
    },
  );
});
