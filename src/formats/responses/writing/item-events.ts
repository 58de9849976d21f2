/** An event before it is numbered. */
export interface UnnumberedEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The events about one item, at its place in the output, that have not been taken. */
export class ItemEvents {
  readonly index: number;
  readonly #generationId: string;
  #events: UnnumberedEvent[] = [];

  constructor(generationId: string, index: number) {
    this.#generationId = generationId;
    this.index = index;
  }

  /** Unique among all answers, since clients send items back. */
  idWith(prefix: string): string {
    return `${prefix}_${this.#generationId}_${this.index}`;
  }

  add(type: string, members: Readonly<Record<string, unknown>>): void {
    this.#events.push({ type, ...members });
  }

  take(): UnnumberedEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
