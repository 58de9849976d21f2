/**
 * An integer that no number of JavaScript holds exactly, such as a seed or a bound of a schema of 64 bits, on its way from a
 * client's JSON to a provider's, which `jsonBody` and `exactJson` write digit by digit. To code that looks at JSON it is no
 * object (`isObject`), and `JSON.stringify` writes the number next to it.
 */
export class ExactInteger {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toJSON(): number {
    return Number(this.digits);
  }
}

/** The value for an integer of JSON: a number where one holds it. */
export function exactInteger(digits: string): number | ExactInteger {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : new ExactInteger(digits);
}
