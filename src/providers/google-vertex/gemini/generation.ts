/** The generation of models that an id names: 2.5 of `gemini-2.5-pro`; undefined where it names none (`gemini-flash-latest`). */
export function generationOf(model: string): number | undefined {
  const named = /^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1];
  return named === undefined ? undefined : Number(named);
}
