/**
 * Whether Kubernetes has set the variable, for a Service named `byway` or `byway-...`
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
 */
export function isServiceLink(name: string, value: string): boolean {
  if (/_SERVICE_HOST$|_SERVICE_PORT(?:_[A-Z0-9_]+)?$|_PORT_\d+_(?:TCP|UDP|SCTP)/.test(name)) return true;
  return name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value);
}
