/** JSON that is passed on as the text that it came in, and was parsed once to be looked at. */
export class JsonText {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;

  /** `text` must be the JSON of `value`, without line breaks. */
  constructor(text: string, value: Readonly<Record<string, unknown>>) {
    this.text = text;
    this.value = value;
  }

  static of(value: Readonly<Record<string, unknown>>): JsonText {
    return new JsonText(JSON.stringify(value), value);
  }
}
