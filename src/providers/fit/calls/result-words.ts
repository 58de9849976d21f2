/** Words for results that do not stand with their calls, for models to read. */

/** Stands for the result of a call that was never answered. */
export const NO_RESULT = '[The call was not answered.]';

/** Stands above a result of which the call is gone. */
export function orphanHeading(id: string, hasFailed = false): string {
  return `[Result of a call that is not in this conversation (${id})${hasFailed ? ', which failed' : ''}:]`;
}
