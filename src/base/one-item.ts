/** An iterable of a single item, which those who know of it take without iterating. */
export class OneItem<T> implements AsyncIterable<T> {
  readonly item: T;

  constructor(item: T) {
    this.item = item;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield this.item;
  }
}
