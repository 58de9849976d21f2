/** Whether the `Accept-Encoding` takes gzip by name (RFC 9110 section 12.5.3). */
export function acceptsGzip(accepted: string | undefined): boolean {
  return (
    accepted?.split(',').some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding)) ?? false
  );
}
