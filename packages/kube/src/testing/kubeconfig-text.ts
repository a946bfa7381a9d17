import { stringify } from 'yaml'

/** A kubeconfig with one cluster and one user. */
export function kubeconfigText({
  server,
  ca,
  token,
  user = 'plugin',
}: {
  /** `https://host:port`, an IPv6 host in brackets. */
  readonly server: string
  /** PEM text; without it the document says `insecure-skip-tls-verify: true`. */
  readonly ca?: string | undefined
  readonly token: string
  /** Name of the user, and of the context before `-context`. Default `plugin`. */
  readonly user?: string | undefined
}): string {
  const trust =
    ca === undefined
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': Buffer.from(ca, 'utf8').toString('base64') }
  const document = {
    apiVersion: 'v1',
    clusters: [{ cluster: { ...trust, server }, name: 'local' }],
    contexts: [{ context: { cluster: 'local', user }, name: `${user}-context` }],
    'current-context': `${user}-context`,
    kind: 'Config',
    users: [{ name: user, user: { token } }],
  }
  return stringify(document, { indentSeq: false, lineWidth: 0 })
}
