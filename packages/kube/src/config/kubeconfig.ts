import { dirname, resolve } from 'node:path'
import { isReadError, readRegularFile } from '@cni/host'
import { messageOf } from '@cni/types'
import { parse, YAMLParseError } from 'yaml'
import { KubeError } from '../kube-error.ts'
import { type Kubeconfig, kubeconfigSchema } from './kubeconfig-schema.ts'

/**
 * Address and credentials of an API server. Functions return the credentials, because a printed object would otherwise
 * contain them.
 */
export interface ClusterAccess {
  /** Path of the kubeconfig from which address and credentials come. */
  readonly source: string
  readonly server: URL
  /** Trusted certificate authorities as PEM text; `undefined` for the JavaScript runtime's own list. */
  readonly ca: string | undefined
  /** True if the kubeconfig has `insecure-skip-tls-verify: true`. */
  readonly insecure: boolean
  /** Name that the server's certificate must have, instead of the host in the URL. */
  readonly serverName: string | undefined
  token(): string | undefined
  clientCertificate(): { readonly cert: string; readonly key: string } | undefined
}

/**
 * Reads a kubeconfig (YAML or JSON) and resolves its current context.
 *
 * @example
 * const access = loadKubeconfig('/var/run/istio-cni/istio-cni-kubeconfig')
 */
export function loadKubeconfig(path: string): ClusterAccess {
  return resolveAccess(path, parseKubeconfig(path, readBounded(path)))
}

/** Parses and validates the text of a kubeconfig. `path` is only used in error messages. */
export function parseKubeconfig(path: string, text: string): Kubeconfig {
  const parsed = kubeconfigSchema.safeParse(parseYaml(path, text))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.map(String).join('.') ?? ''
  throw bad(path, where === '' ? 'it is not a mapping' : `${where} is missing or has the wrong type`)
}

function resolveAccess(path: string, config: Kubeconfig): ClusterAccess {
  const contextName = required(path, 'current-context', config['current-context'])
  const context = pick(path, 'contexts', config.contexts, contextName).context
  const clusterName = required(path, `the cluster of context "${contextName}"`, context?.cluster)
  const cluster = pick(path, 'clusters', config.clusters, clusterName).cluster ?? {}
  const user = context?.user ? (pick(path, 'users', config.users, context.user).user ?? {}) : {}
  if (user.exec != null || user['auth-provider'] != null) {
    throw bad(path, `user "${context?.user}" asks for an external login (exec, auth-provider), which is not supported`)
  }
  const insecure = cluster['insecure-skip-tls-verify'] === true
  const text = (key: string, data: string | null | undefined, file: string | null | undefined) =>
    data ? decodeBase64(path, `${key}-data`, data) : file ? readBounded(resolve(dirname(path), file)) : undefined
  const ca = insecure
    ? undefined
    : text('certificate-authority', cluster['certificate-authority-data'], cluster['certificate-authority'])
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    throw bad(path, `the certificate authority of cluster "${clusterName}" is not a PEM certificate`)
  }
  const token = usableToken(
    path,
    user.token || (user.tokenFile ? readBounded(resolve(dirname(path), user.tokenFile)) : undefined),
  )
  const cert = text('client-certificate', user['client-certificate-data'], user['client-certificate'])
  const key = text('client-key', user['client-key-data'], user['client-key'])
  return {
    source: path,
    server: serverUrl(path, required(path, `server of cluster "${clusterName}"`, cluster.server)),
    ca,
    insecure,
    serverName: cluster['tls-server-name'] || undefined,
    token: () => token,
    clientCertificate: () => (cert !== undefined && key !== undefined ? { cert, key } : undefined),
  }
}

const bad = (path: string, what: string): KubeError => new KubeError('BAD_KUBECONFIG', `kubeconfig ${path}: ${what}`)

function required(path: string, what: string, value: string | null | undefined): string {
  if (!value) throw bad(path, `${what} is missing or empty`)
  return value
}

function pick<T extends { readonly name: string }>(
  path: string,
  list: string,
  items: readonly T[] | null | undefined,
  name: string,
): T {
  const found = items?.find((item) => item.name === name)
  if (found === undefined) throw bad(path, `${list} has no entry named "${name}"`)
  return found
}

function serverUrl(path: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && `${url.username}${url.password}` !== '') {
    throw bad(path, `server ${url.host} is given with a password: put credentials under users`)
  }
  const usable = url !== undefined && /^https?:$/.test(url.protocol) && url.search === ''
  if (!usable) throw bad(path, `server "${text}" is not a URL of the form https://host:port`)
  return url
}

/** Rejects a token that an HTTP header cannot contain. The error does not quote the token. */
function usableToken(path: string, token: string | undefined): string | undefined {
  const trimmed = token?.trim()
  if (!trimmed) return undefined
  if (/[^!-~]/.test(trimmed)) throw bad(path, 'the token contains blanks or control characters')
  return trimmed
}

function decodeBase64(path: string, key: string, data: string): string {
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(data)) throw bad(path, `${key} is not base64`)
  return Buffer.from(data, 'base64').toString('utf8')
}

/** Parses a kubeconfig's YAML, which includes JSON. The error omits the parser's message, which may quote the token. */
function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text, { prettyErrors: true, logLevel: 'error' })
  } catch (error) {
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined
    throw bad(path, `it is neither YAML nor JSON${line === undefined ? '' : ` (line ${line})`}`)
  }
}

const maxBytes = 1024 * 1024

function readBounded(path: string): string {
  try {
    return readRegularFile(path, maxBytes, { ownOnly: true })
  } catch (cause) {
    if (isReadError(cause)) throw bad(path, cause.message)
    const hint = 'is the node agent (install-cni) running on this node?'
    throw new KubeError('NO_KUBECONFIG', `cannot read ${path}: ${messageOf(cause)}; ${hint}`, { cause })
  }
}
