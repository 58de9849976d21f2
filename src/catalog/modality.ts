/** The text form `<input>-><output>` of what a model takes and gives, such as `text+image->text` (spec 2.1). */
export function modalityOf(input: readonly string[], output: readonly string[]): string {
  return `${input.join('+')}->${output.join('+')}`;
}
