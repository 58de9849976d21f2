/** The metrics of all workers of a supervisor, whichever of them is scraped, over its IPC channels. */
import type { Worker } from 'node:cluster';
import type { WorkerText } from './merged.js';

/** How long the supervisor waits for a worker's text; a worker that is busier is left out. */
const WORKER_MS = 1_000;

/** How long a worker waits for the supervisor, which waits for all others at once. */
const SUPERVISOR_MS = 2 * WORKER_MS;

/** An IPC message: a request, or the response of the same number. */
type Message =
  | { readonly byway: 'metrics wanted'; readonly number: number }
  | { readonly byway: 'metrics'; readonly number: number; readonly texts: readonly WorkerText[] };

/** The worker's side: answers with its own text, and returns a function that collects those of all workers. */
export function askSupervisor(
  worker: Worker,
  ownText: () => Promise<string>,
): () => Promise<readonly WorkerText[]> {
  const own = async (): Promise<WorkerText> => [String(worker.id), await ownText()];
  const supervisor = new Exchange(worker, async () => [await own()]);
  return async () => {
    const [mine, others] = await Promise.all([own(), supervisor.ask(SUPERVISOR_MS)]);
    return [mine, ...others].sort(([a], [b]) => Number(a) - Number(b));
  };
}

/** The supervisor's side: passes each worker the texts of the others. */
export class MetricsHub {
  readonly #exchanges = new Map<Worker, Exchange>();

  add(worker: Worker): void {
    this.#exchanges.set(worker, new Exchange(worker, () => this.#textsOfOthers(worker)));
  }

  remove(worker: Worker): void {
    this.#exchanges.delete(worker);
  }

  async #textsOfOthers(requester: Worker): Promise<readonly WorkerText[]> {
    const others = [...this.#exchanges].filter(([worker]) => worker !== requester);
    const texts = await Promise.all(others.map(([, exchange]) => exchange.ask(WORKER_MS)));
    return texts.flat();
  }
}

/** One side of a channel on which both may send requests. */
class Exchange {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (texts: readonly WorkerText[]) => void>();
  #lastNumber = 0;

  constructor(worker: Worker, answer: () => Promise<readonly WorkerText[]>) {
    this.#worker = worker;
    worker.on('message', async (message: Message) => {
      const { byway, number } = message;
      if (byway === 'metrics wanted') this.#send({ byway: 'metrics', number, texts: await answer() });
      if (byway === 'metrics') this.#waiting.get(number)?.(message.texts);
    });
  }

  /** The texts that the other side answers within the time; none after it. */
  async ask(withinMs: number): Promise<readonly WorkerText[]> {
    const number = ++this.#lastNumber;
    const answered = new Promise<readonly WorkerText[]>((resolve) => {
      this.#waiting.set(number, resolve);
      setTimeout(resolve, withinMs, []).unref();
    });
    this.#send({ byway: 'metrics wanted', number });
    return answered.finally(() => this.#waiting.delete(number));
  }

  /** A channel may close at any time; the request then times out. */
  #send(message: Message): void {
    this.#worker.process.send?.(message, undefined, undefined, () => {});
  }
}
