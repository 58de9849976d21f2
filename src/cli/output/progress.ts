import type { Output } from './command-line.js';

/** Max width of the bar; a narrow terminal has a shorter one, and a very narrow one none. */
const WIDTH = 30;
const MIN_WIDTH = 4;

const DEFAULT_COLUMNS = 80;

/** A progress bar on a terminal; elsewhere a line for each change of state. */
export class Progress {
  readonly #output: Output;
  #last = '';
  #state = '';

  constructor(output: Output) {
    this.#output = output;
  }

  show(done: number, total: number, state: string): void {
    if (this.#output.isTTY !== true) {
      if (state !== this.#state) this.#output.write(`${state}\n`);
      this.#state = state;
      return;
    }
    // The last column stays free: some terminals wrap after it. A new terminal may report no columns at all.
    const columns = (this.#output.columns || DEFAULT_COLUMNS) - 1;
    const shown = lineOf(done, total, state, columns);
    this.#output.write(`\r${shown.padEnd(Math.min(this.#last.length, columns))}`);
    this.#last = shown;
  }

  /** Leaves the bar as it is and begins a new line. */
  end(): void {
    if (this.#last !== '') this.#output.write('\n');
  }
}

function lineOf(done: number, total: number, state: string, columns: number): string {
  const text = `${done}/${total} ${state}`;
  const width = Math.min(WIDTH, columns - text.length - '[] '.length);
  if (width < MIN_WIDTH) return text.slice(0, columns);
  const filled = total === 0 ? 0 : Math.min(width, Math.floor((done / total) * width));
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${text}`;
}
