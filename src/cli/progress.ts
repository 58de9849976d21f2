import type { Output } from './command-line.js';

const WIDTH = 30;

/** How far something has come: a bar that is drawn over itself on a terminal, elsewhere a line for each change of state. */
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
    const filled = total === 0 ? 0 : Math.min(WIDTH, Math.floor((done / total) * WIDTH));
    const bar = `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done}/${total} ${state}`;
    this.#output.write(`\r${bar.padEnd(this.#last.length)}`);
    this.#last = bar;
  }

  /** Leaves what is shown where it is. */
  end(): void {
    if (this.#last !== '') this.#output.write('\n');
  }
}
