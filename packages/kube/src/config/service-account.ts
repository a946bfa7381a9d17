import { readRegularFile } from '@cni/host'
import { messageOf } from '@cni/types'
import { KubeError } from '../kube-error.ts'
import type { ClusterAccess } from './kubeconfig.ts'

/** Address of the API server and credentials of the pod in which this process runs. */
export interface ServiceAccount {
  /** URL of the API server, such as `https://10.96.0.1:443`. */
  readonly server: string
  readonly tokenFile: string
  readonly caFile: string
}

/**
 * Reads the service account's files in a pod. Call this function for each request, because kubelet replaces the token
 * every hour.
 */
export function serviceAccountAccess({ server, tokenFile, caFile }: ServiceAccount): ClusterAccess {
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new KubeError('BAD_KUBECONFIG', `API server ${JSON.stringify(server)}: expected https://host:port`)
  }
  const ca = read(caFile)
  const token = read(tokenFile).trim()
  // Errors about the service account's files do not quote the token.
  if (token === '') throw new KubeError('BAD_KUBECONFIG', `token file ${tokenFile}: it is empty`)
  if (/[^!-~]/.test(token)) {
    throw new KubeError('BAD_KUBECONFIG', `token file ${tokenFile}: it holds blanks or control characters`)
  }
  return {
    source: caFile,
    server: url,
    ca,
    insecure: false,
    serverName: undefined,
    token: () => token,
    clientCertificate: () => undefined,
  }
}

const maxBytes = 1024 * 1024

function read(path: string): string {
  try {
    return readRegularFile(path, maxBytes, { ownOnly: true })
  } catch (cause) {
    const problem = messageOf(cause)
    throw new KubeError('NO_KUBECONFIG', `cannot read ${path}: ${problem}`, { cause })
  }
}
