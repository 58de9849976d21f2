/** Finds the end of one JSON object or list that comes in pieces, without parsing it. */
export class JsonEnd {
  #depth = 0;
  #hasBegun = false;
  #isInString = false;
  #isEscaped = false;

  get isReached(): boolean {
    return this.#hasBegun && this.#depth === 0;
  }

  read(piece: string): void {
    for (const character of piece) {
      if (this.#isInString) this.#readInString(character);
      else if (character === '"') this.#isInString = true;
      else if (character === '{' || character === '[') {
        this.#depth += 1;
        this.#hasBegun = true;
      } else if (character === '}' || character === ']') this.#depth -= 1;
    }
  }

  #readInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }
}
