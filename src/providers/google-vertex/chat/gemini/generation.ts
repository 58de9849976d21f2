/** The generation in a model's id: 2.5 of `gemini-2.5-pro`; undefined without one (`gemini-flash-latest`). */
export function generationOf(model: string): number | undefined {
  const named = /^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1];
  return named === undefined ? undefined : Number(named);
}
