/** What `byway explain` prints: the attempts in order, then what is excluded and why (docs/routing.md#explain). */
import {
  HealthState,
  type Route,
  type RouteAttempt,
  type RouteHealth,
  RouteSectionSchema,
} from '../../../gen/byway/v1/routing_pb.js';
import { formatDecimal, parseDecimal } from '../../base/money.js';
import { spellEnum } from '../../protobuf/spelling.js';
import { printable, tableLines } from './table.js';

/** Max width of the tables. */
const WIDTH = 100;

const BOLD = '\u001b[1m';
const PLAIN = '\u001b[0m';

/** The route as text with a last line break. `colour` is for terminals only; without it the text is plain. */
export function renderRoute(route: Route, { colour }: { readonly colour: boolean }): string {
  const title = (text: string) => (colour ? `${BOLD}${text}${PLAIN}` : text);
  const { refused } = route;
  const sections = [
    ...(refused === undefined ? [] : [[title(`Refused: ${refused.reason}`), printable(refused.message)]]),
    [title(`Attempts (${route.attempts.length})`), ...attemptLines(route.attempts)],
    [title(`Excluded (${excludedCount(route)})`), ...exclusionLines(route)],
  ];
  if (route.unrelatedKeys > 0) {
    sections.push([`Provider keys of providers without the model: ${route.unrelatedKeys}`]);
  }
  if (route.unknownProviders.length > 0) {
    sections.push([
      title('Unknown providers'),
      ...tableLines([route.unknownProviders.join(', ')], [], WIDTH),
    ]);
  }
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function attemptLines(attempts: readonly RouteAttempt[]): string[] {
  if (attempts.length === 0) return ['none'];
  const header = ['#', 'section', 'endpoint', 'region', 'key', 'USD/M', 'health'];
  const rows = attempts.map(({ position, section, endpoint, region, byokLabel, price, health }) => [
    String(position),
    spellEnum(RouteSectionSchema, section),
    endpoint,
    region ?? 'global',
    byokLabel ?? '-',
    `${perMillion(price?.prompt)} / ${perMillion(price?.completion)}`,
    healthText(health),
  ]);
  return tableLines(header, rows, WIDTH);
}

function excludedCount({ excludedCounts = {} }: Route): number {
  return Object.values(excludedCounts).reduce<number>((sum, count) => sum + Number(count), 0);
}

function exclusionLines(route: Route): string[] {
  const { excluded, excludedCounts = {} } = route;
  if (excluded.length === 0) return ['none'];
  const rows = excluded.map(({ provider, endpoint, byokKeyId, reason, detail }) => [
    endpoint ?? provider,
    byokKeyId?.slice(0, 8) ?? '-',
    reason,
    detail,
  ]);
  const table = tableLines(['endpoint', 'key', 'reason', 'detail'], rows, WIDTH);
  if (excluded.length === excludedCount(route)) return table;
  const counts = Object.entries(excludedCounts).map(([reason, count]) => `${reason} ${count}`);
  return [...table, `the first ${excluded.length} are shown; in all: ${counts.join(', ')}`];
}

/** An endpoint or key that keeps failing is tried last until the given time. */
function healthText(health: RouteHealth | undefined): string {
  if (health?.until === undefined) return 'ok';
  const word = health.state === HealthState.RESTING ? 'resting' : 'cooling';
  return `${word} until ${health.until.slice(11, 19)}`;
}

function perMillion(price = '0'): string {
  const decimal = parseDecimal(price);
  return decimal === undefined ? price : formatDecimal({ ...decimal, digits: decimal.digits * 1_000_000n });
}
