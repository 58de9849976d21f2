const DAY_MS = 86_400_000;

const INSTANT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** An ISO 8601 instant in the reader's time zone. */
export function instantText(iso: string): string {
  return INSTANT.format(new Date(iso));
}

/** A UTC day (YYYY-MM-DD) in short: `3 Nov`. */
export function dayText(date: string): string {
  return DAY.format(new Date(`${date}T00:00:00Z`));
}

/** The UTC days (YYYY-MM-DD) of a span that ends with the instant's, oldest first. */
export function daysUntil(nowMs: number, days: number): string[] {
  return Array.from({ length: days }, (_, index) =>
    new Date(nowMs - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The local time of a date-and-time field as an RFC 3339 instant; undefined for an empty one. */
export function dateOf(local: string): string | undefined {
  return local === '' ? undefined : new Date(local).toISOString();
}

/** Milliseconds for people: `850 ms`, `12.3 s`. */
export function durationText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
