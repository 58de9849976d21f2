/** The metrics of all workers of a supervisor, whichever of them is asked: they meet over its channels. */
import type { Worker } from 'node:cluster';
import type { WorkerText } from './merged.js';

/** How long a worker's text is waited for; one that is as busy as that is left out. */
const WORKER_MS = 1_000;

/** The supervisor waits for all of them at once. */
const SUPERVISOR_MS = 2 * WORKER_MS;

/** What goes over a channel: a question, or the answer of the same number. */
type Message =
  | { readonly byway: 'metrics wanted'; readonly number: number }
  | { readonly byway: 'metrics'; readonly number: number; readonly texts: readonly WorkerText[] };

/** The worker's side: answers with its own text, and gives a way to have those of the others as well. */
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

/** The supervisor's side: tells each worker what the others say. */
export class MetricsRelay {
  readonly #exchanges = new Map<Worker, Exchange>();

  /** From now on the worker asks and is asked. */
  add(worker: Worker): void {
    this.#exchanges.set(worker, new Exchange(worker, () => this.#textsBeside(worker)));
  }

  /** It is no more. */
  remove(worker: Worker): void {
    this.#exchanges.delete(worker);
  }

  async #textsBeside(asking: Worker): Promise<readonly WorkerText[]> {
    const others = [...this.#exchanges].filter(([worker]) => worker !== asking);
    const texts = await Promise.all(others.map(([, exchange]) => exchange.ask(WORKER_MS)));
    return texts.flat();
  }
}

/** One side of a channel on which both may ask. */
class Exchange {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (texts: readonly WorkerText[]) => void>();
  #asked = 0;

  constructor(worker: Worker, answer: () => Promise<readonly WorkerText[]>) {
    this.#worker = worker;
    worker.on('message', async (message: Message) => {
      const { byway, number } = message;
      if (byway === 'metrics wanted') this.#send({ byway: 'metrics', number, texts: await answer() });
      if (byway === 'metrics') this.#waiting.get(number)?.(message.texts);
    });
  }

  /** What the other side answers within the time, or nothing. */
  async ask(withinMs: number): Promise<readonly WorkerText[]> {
    const number = ++this.#asked;
    const answered = new Promise<readonly WorkerText[]>((resolve) => {
      this.#waiting.set(number, resolve);
      setTimeout(resolve, withinMs, []).unref();
    });
    this.#send({ byway: 'metrics wanted', number });
    return answered.finally(() => this.#waiting.delete(number));
  }

  /** A channel may close at any time; whoever waits then has nothing. */
  #send(message: Message): void {
    this.#worker.process.send?.(message, undefined, undefined, () => {});
  }
}
