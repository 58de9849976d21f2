/** Whether the `Accept` prefers CSV to JSON (RFC 9110 section 12.5.1); on a par it does not. */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = accept.split(',').map(rangeOf);
  return qualityOf('text/csv', ranges) > qualityOf('application/json', ranges);
}

interface MediaRange {
  readonly name: string;
  readonly quality: number;
}

/** What is not written as it should be, counts as not acceptable. */
const QUALITY = /^q=([01](?:\.\d{0,3})?)$/i;

function rangeOf(text: string): MediaRange {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => /^q=/i.test(parameter));
  return {
    name: name.toLowerCase(),
    quality: quality === undefined ? 1 : Number(QUALITY.exec(quality)?.[1] ?? 0),
  };
}

/** The quality of the most specific range that matches. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  const names = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*'];
  const found = names.map((name) => ranges.find((range) => range.name === name));
  return found.find((range) => range !== undefined)?.quality ?? 0;
}
