import { cpus, type } from 'node:os';
import type { Compared } from './compare.js';
import type { BalanceSelector } from './figure.js';
import { hasH2load } from './load.js';
import { isPinned } from './processes.js';

/** One line on what the figures were measured with. */
export function conditions(): string {
  const processors = cpus();
  const where = isPinned ? 'servers and loader pinned to one each' : 'not pinned';
  const loader = hasH2load ? 'h2load' : 'a loader in Node (h2load is not installed)';
  return [
    `Node ${process.versions.node} on ${type()}`,
    `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown processor'}, ${where}`,
    `load by ${loader}; by Node for requests that differ`,
  ].join('; ');
}

/** All figures as one Markdown table. */
export function table(compared: readonly Compared[], figures: readonly BalanceSelector[]): string {
  const rows = [
    ['', 'Byway', 'Peer', 'Ratio', 'CPU a request', 'Memory after', 'Peer is'],
    ['---', '--:', '--:', '--:', '--:', '--:', '---'],
    ...compared.map(comparedRow),
    ...figures.map(figureRow),
  ];
  return rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function comparedRow({ title, peerIs, aim, ratio, figures: { byway, peer } }: Compared): string[] {
  return [
    title,
    `${count(byway.perSecond)}/s`,
    `${count(peer.perSecond)}/s`,
    ratio.toFixed(2) + (aim === undefined ? '' : ` (aim ${aim})`) + faults(byway.errors + peer.errors),
    `${micros(byway.cpuMicros)} : ${micros(peer.cpuMicros)}`,
    `${mebibytes(byway.residentBytes)} : ${mebibytes(peer.residentBytes)}`,
    peerIs,
  ];
}

function figureRow({ title, unit, byway, peer, peerIs, errors = 0 }: BalanceSelector): string[] {
  const amount = (value: number) => (Number.isNaN(value) ? 'unknown' : `${short(value)} ${unit}`);
  return [title, amount(byway), amount(peer), (byway / peer).toFixed(2) + faults(errors), '', '', peerIs];
}

/** A figure with errors is none to rely on. */
function faults(errors: number): string {
  return errors === 0 ? '' : `, ${count(errors)} ERRORS`;
}

/** Three digits, or all of a whole number. */
function short(value: number): string {
  return Math.abs(value) < 100 ? value.toPrecision(3) : count(value);
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function micros(value: number | undefined): string {
  return value === undefined ? 'unknown' : `${Math.round(value)} us`;
}

function mebibytes(bytes: number | undefined): string {
  return bytes === undefined ? 'unknown' : `${Math.round(bytes / 1024 / 1024)} MiB`;
}
