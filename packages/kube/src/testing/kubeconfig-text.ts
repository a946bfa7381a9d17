import { stringify } from 'yaml'

/** Prints the text of a kubeconfig with one cluster and one user. */
export function kubeconfigText({
  server,
  ca,
  token,
  user = 'plugin',
}: {
  /** URL of the API server: `https://host:port`, with brackets around an IPv6 host. */
  readonly server: string
  /** Certificate authority as PEM text. Without an authority, the kubeconfig has `insecure-skip-tls-verify: true`. */
  readonly ca?: string | undefined
  readonly token: string
  /** Name of the user in the kubeconfig. The context is named `<user>-context`. Default: `plugin`. */
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
