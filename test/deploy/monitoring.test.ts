import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.js';
import { readExposition } from '../support/prometheus.js';
import { caller, send } from '../support/rest.js';

const RULES = 'deploy/prometheus-rules.yaml';
const RULES_TEST = 'deploy/prometheus-rules.test.yaml';
const DASHBOARD = 'deploy/grafana-dashboard.json';

/** Labels that Prometheus adds, and of quantiles. */
const OF_PROMETHEUS = ['job', 'instance', 'le', 'worker'];

/** Debian's package `prometheus` has it. */
const HAS_PROMTOOL = spawnSync('promtool', ['--version']).error === undefined;

interface Panel {
  readonly title: string;
  readonly gridPos: object;
  readonly targets: readonly { readonly expr: string }[];
}

describe('the alert rules and the dashboard', () => {
  it('name only metrics that a gateway has, with labels that these have', async () => {
    const gateway = await startGateway();
    const use = caller(gateway, gateway.apiKey);
    await use('POST', '/chat/completions', {
      model: 'demo/echo',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const headers = { authorization: `Bearer ${gateway.operatorKey}` };
    const { text } = await send(`${gateway.url}/metrics`, 'GET', { headers });
    const families = readExposition(text);
    const documented = readFileSync('docs/operations.md', 'utf8');
    const named = [RULES, DASHBOARD].flatMap((file) => metricsIn(readFileSync(file, 'utf8')));
    expect(named.length).toBeGreaterThan(20);
    for (const { metric, labels } of named) {
      if (metric === 'up') continue;
      const family = families.get(metric.replace(/_bucket$/, ''));
      expect(family, metric).toBeDefined();
      if (metric.endsWith('_bucket')) expect(family?.type, metric).toBe('histogram');
      const row = documented
        .split('\n')
        .find((line) => line.includes(`\`${metric.replace(/_bucket$/, '')}\``));
      for (const label of labels.filter((name) => !OF_PROMETHEUS.includes(name))) {
        expect(row, `${metric}{${label}}`).toContain(`\`${label}\``);
      }
    }
  });

  it('alert on nothing twice, and each says what it is and what to do', () => {
    const rules = readFileSync(RULES, 'utf8')
      .split(/^ {6}- alert: /m)
      .slice(1);
    const names = rules.map((rule) => rule.split('\n')[0]);
    expect(new Set(names).size).toBe(names.length);
    for (const rule of rules) {
      expect(rule).toMatch(/ {10}summary: /);
      expect(rule).toMatch(/ {10}description: /);
      expect(rule).toMatch(/labels: \{ severity: (?:critical|warning) \}/);
    }
  });

  it('show panels that do not overlap, each with a title', () => {
    const { panels }: { panels: Panel[] } = JSON.parse(readFileSync(DASHBOARD, 'utf8'));
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    expect(new Set(panels.map(({ gridPos }) => JSON.stringify(gridPos))).size).toBe(panels.length);
  });

  it.runIf(HAS_PROMTOOL)('are rules that Prometheus takes, and fire when they should', () => {
    expect(execFileSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' })).toContain('SUCCESS');
    expect(execFileSync('promtool', ['test', 'rules', RULES_TEST], { encoding: 'utf8' })).toContain(
      'SUCCESS',
    );
  });
});

/** Metrics with the labels that they are selected by, and those that sums keep apart. */
function metricsIn(text: string): { metric: string; labels: string[] }[] {
  return [...text.matchAll(/\b(up|(?:byway|nodejs|process)_[a-z0-9_]+)\{([^}]*)\}/g)].map(
    ([, metric = '', selector = '']) => ({
      metric,
      labels: [...selector.matchAll(/([a-z_]+)(?:=|!=|=~)\\?"/g)].map((match) => match[1] ?? ''),
    }),
  );
}
