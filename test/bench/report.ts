import { cpus, type } from 'node:os';
import type { Compared } from './compare.js';
import { hasH2load } from './load.js';
import type { Measurement } from './measurement.js';
import { isPinned } from './processes.js';

/** One line about the environment of the measurements. */
export function environment(): string {
  const processors = cpus();
  const where = isPinned ? 'servers and loader pinned to one each' : 'not pinned';
  const loader = hasH2load ? 'h2load' : 'a loader in Node (h2load is not installed)';
  return [
    `Node ${process.versions.node} on ${type()}`,
    `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown processor'}, ${where}`,
    `load by ${loader}; by Node for requests that differ`,
  ].join('; ');
}

/** All measurements as one Markdown table. */
export function table(compared: readonly Compared[], measurements: readonly Measurement[]): string {
  const rows = [
    ['', 'Byway', 'Peer', 'Ratio', 'CPU a request', 'Memory after', 'Peer is'],
    ['---', '--:', '--:', '--:', '--:', '--:', '---'],
    ...compared.map(comparedRow),
    ...measurements.map(measurementRow),
  ];
  return rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function comparedRow({ title, peerIs, aim, ratio, measurements: { byway, peer } }: Compared): string[] {
  return [
    title,
    `${count(byway.perSecond)}/s`,
    `${count(peer.perSecond)}/s`,
    ratio.toFixed(2) + (aim === undefined ? '' : ` (aim ${aim})`) + errorNote(byway.errors + peer.errors),
    `${micros(byway.cpuMicros)} : ${micros(peer.cpuMicros)}`,
    `${mebibytes(byway.residentBytes)} : ${mebibytes(peer.residentBytes)}`,
    peerIs,
  ];
}

function measurementRow({ title, unit, byway, peer, peerIs, errors = 0 }: Measurement): string[] {
  const amount = (value: number) => (Number.isNaN(value) ? 'unknown' : `${short(value)} ${unit}`);
  return [title, amount(byway), amount(peer), (byway / peer).toFixed(2) + errorNote(errors), '', '', peerIs];
}

/** A note on errors: a measurement with errors is not reliable. */
function errorNote(errors: number): string {
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
