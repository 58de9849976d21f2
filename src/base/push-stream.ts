/** Takes what a stream pushes. */
export interface Sink<T> {
  /**
   * Takes what came at once. Returns false where nothing more is to be pushed until the stream is resumed, except its
   * end and what that completes.
   */
  take(items: readonly T[]): boolean;
  /** The end follows what is pushed next, in the same turn: both can be sent as one. */
  ending?(): void;
  /** Nothing more comes. */
  end(): void;
  /** The stream broke off. */
  fail(error: unknown): void;
}

/**
 * Items that are pushed to one sink as they come, as many at once as came at once: no promise and no turn of the event
 * loop for each. Nothing happens before `pipeTo`. Iterated, it is pulled instead, and ending the iteration closes it.
 */
export abstract class PushStream<T> implements AsyncIterable<T> {
  /** To be called once. */
  abstract pipeTo(sink: Sink<T>): void;
  /** To be called when the sink takes more, after its `take` returned false. */
  abstract resume(): void;
  /** Gives up the rest: nothing is pushed from then on. Resolves when what the stream held is released. */
  abstract close(): Promise<void>;

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const queue = new Queue<T>();
    this.pipeTo(queue);
    try {
      for (;;) {
        const items = queue.items.splice(0);
        yield* items;
        if (queue.items.length > 0) continue;
        if (queue.hasFailed) throw queue.error;
        if (queue.hasEnded) return;
        await queue.next(() => this.resume());
      }
    } finally {
      await this.close();
    }
  }
}

/** What was pushed and not pulled yet: at most what came at once. */
class Queue<T> implements Sink<T> {
  readonly items: T[] = [];
  hasEnded = false;
  hasFailed = false;
  error: unknown;
  #isPaused = false;
  #wake: (() => void) | undefined;

  take(items: readonly T[]): boolean {
    this.items.push(...items);
    this.#isPaused = true;
    this.#wake?.();
    return false;
  }

  end(): void {
    this.hasEnded = true;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.hasFailed = true;
    this.error = error;
    this.#wake?.();
  }

  /** Resolves when something has come or the stream is over. */
  next(resume: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (!this.#isPaused) return;
      this.#isPaused = false;
      resume();
    });
  }
}

/** What is done with what passes. */
export interface Mapping<T, U> {
  /** What becomes of items that came at once. */
  items(items: readonly T[]): readonly U[];
  error?(thrown: unknown): unknown;
  /** Called once, when the stream is over. */
  closed?(): void;
}

/** The stream with everything mapped that it pushes. An error that `items` throws breaks the stream off. */
export function mapStream<T, U = T>(source: PushStream<T>, mapping: Mapping<T, U>): PushStream<U> {
  return new MappedStream(source, mapping);
}

class MappedStream<T, U> extends PushStream<U> implements Sink<T> {
  readonly #source: PushStream<T>;
  readonly #mapping: Mapping<T, U>;
  #sink: Sink<U> | undefined;
  #isOver = false;

  constructor(source: PushStream<T>, mapping: Mapping<T, U>) {
    super();
    this.#source = source;
    this.#mapping = mapping;
  }

  pipeTo(sink: Sink<U>): void {
    this.#sink = sink;
    this.#source.pipeTo(this);
  }

  resume(): void {
    this.#source.resume();
  }

  async close(): Promise<void> {
    this.#end();
    await this.#source.close();
  }

  take(items: readonly T[]): boolean {
    try {
      const mapped = this.#mapping.items(items);
      return mapped.length === 0 || this.#sink?.take(mapped) === true;
    } catch (thrown) {
      this.fail(thrown);
      void this.#source.close();
      return false;
    }
  }

  ending(): void {
    this.#sink?.ending?.();
  }

  end(): void {
    this.#end()?.end();
  }

  fail(thrown: unknown): void {
    const { error = (unmapped: unknown) => unmapped } = this.#mapping;
    this.#end()?.fail(error(thrown));
  }

  /** The sink, if this is the first end and it was piped to one. */
  #end(): Sink<U> | undefined {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    const sink = this.#sink;
    this.#sink = undefined;
    this.#mapping.closed?.();
    return sink;
  }
}

/** The stream, which can be broken off from outside. */
export class BreakableStream<T> extends MappedStream<T, T> {
  #broken: { readonly error: unknown } | undefined;

  /** @param closed Called once, when the stream is over, also where nothing was ever taken of it. */
  constructor(source: PushStream<T>, closed: () => void) {
    super(source, { items: (items) => items, closed });
  }

  override pipeTo(sink: Sink<T>): void {
    if (this.#broken === undefined) super.pipeTo(sink);
    else sink.fail(this.#broken.error);
  }

  /** Fails the sink at once, also while it takes nothing, and closes the source. */
  breakOff(error: unknown): void {
    this.fail(error);
    void super.close();
    this.#broken = { error };
  }

  /** What was broken off waits for nothing of the source. */
  override async close(): Promise<void> {
    if (this.#broken === undefined) await super.close();
  }
}

/** Pushes what is pulled from the iterable, one item after the other. Closing waits for the item that is awaited. */
export function pushed<T>(iterable: AsyncIterable<T>): PushStream<T> {
  return new PulledStream(iterable, (item) => [item]);
}

/** As `pushed`, all items of a page at once; the next page is pulled when the sink takes more. */
export function pushedPages<T>(pages: AsyncIterable<readonly T[]>): PushStream<T> {
  return new PulledStream(pages, (page) => page);
}

class PulledStream<Pulled, T> extends PushStream<T> {
  readonly #pulled: AsyncIterator<Pulled>;
  readonly #itemsOf: (pulled: Pulled) => readonly T[];
  #isClosed = false;
  #resume: (() => void) | undefined;

  constructor(iterable: AsyncIterable<Pulled>, itemsOf: (pulled: Pulled) => readonly T[]) {
    super();
    this.#pulled = iterable[Symbol.asyncIterator]();
    this.#itemsOf = itemsOf;
  }

  pipeTo(sink: Sink<T>): void {
    void this.#pump(sink);
  }

  resume(): void {
    this.#resume?.();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#resume?.();
    await this.#pulled.return?.();
  }

  async #pump(sink: Sink<T>): Promise<void> {
    try {
      for (let next = await this.#pulled.next(); next.done !== true; next = await this.#pulled.next()) {
        if (this.#isClosed) return;
        const items = this.#itemsOf(next.value);
        if (items.length === 0) continue;
        const resumed = new Promise<void>((resolve) => {
          this.#resume = resolve;
        });
        if (!sink.take(items)) await resumed;
      }
    } catch (thrown) {
      if (!this.#isClosed) sink.fail(thrown);
      return;
    }
    if (!this.#isClosed) sink.end();
  }
}
