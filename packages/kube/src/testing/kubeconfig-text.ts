import { stringify } from 'yaml'

/** Members of a kubeconfig. */
export interface KubeconfigParts {
  /** `https://host:port`, an IPv6 host in brackets. */
  readonly server: string
  /** PEM text; without it the document says `insecure-skip-tls-verify: true`. */
  readonly ca?: string | undefined
  readonly token: string
}

/** A kubeconfig with one cluster and one user. */
export function kubeconfigText({ server, ca, token }: KubeconfigParts): string {
  const trust =
    ca === undefined
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': Buffer.from(ca, 'utf8').toString('base64') }
  const document = {
    apiVersion: 'v1',
    clusters: [{ cluster: { ...trust, server }, name: 'local' }],
    contexts: [{ context: { cluster: 'local', user: 'istio-cni' }, name: 'istio-cni-context' }],
    'current-context': 'istio-cni-context',
    kind: 'Config',
    users: [{ name: 'istio-cni', user: { token } }],
  }
  return stringify(document, { indentSeq: false, lineWidth: 0 })
}
