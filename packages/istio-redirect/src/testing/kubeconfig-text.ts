import { renderKubeconfig } from '@cni/installer'

/** What a kubeconfig of the node agent says. */
export interface KubeconfigParts {
  /** `https://host:port`, an IPv6 host in brackets. */
  readonly server: string
  /** PEM text; without it the document says `insecure-skip-tls-verify: true`. */
  readonly ca?: string | undefined
  readonly token: string
}

/** The kubeconfig that the node agent writes. */
export function kubeconfigText({ server, ca, token }: KubeconfigParts): string {
  const trust = ca === undefined ? { skipTls: true } : { ca: Buffer.from(ca, 'utf8') }
  return renderKubeconfig({ server, token, user: 'istio-cni', ...trust })
}
