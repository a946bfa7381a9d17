import { InstallError } from '../install-error.ts'

/** Prints a kubeconfig for one API server and one token. Sorts the keys as `kubectl` does. */
export function renderKubeconfig(content: {
  /** URL of the API server, such as `https://10.96.0.1:443`. {@link apiServerUrl} returns it. */
  readonly server: string
  /** Name of the user in the kubeconfig. The context is named `<user>-context`. */
  readonly user: string
  readonly token: string
  /** Bytes of the CA certificate file for the API server. Ignored with `skipTls`. */
  readonly ca?: Uint8Array | undefined
  readonly skipTls?: boolean | undefined
}): string {
  const { user, token, ca, skipTls = false } = content
  const name = yamlScalar(user, 4)
  const context = yamlScalar(`${user}-context`, 4)
  const authority = skipTls ? undefined : ca && ca.length > 0 ? Buffer.from(ca).toString('base64') : undefined
  return [
    'apiVersion: v1',
    'clusters:',
    '- cluster:',
    ...(authority === undefined ? [] : [`    certificate-authority-data: ${authority}`]),
    ...(skipTls ? ['    insecure-skip-tls-verify: true'] : []),
    `    server: ${yamlScalar(content.server, 6)}`,
    '  name: local',
    'contexts:',
    '- context:',
    '    cluster: local',
    `    user: ${name}`,
    `  name: ${context}`,
    `current-context: ${context}`,
    'kind: Config',
    'users:',
    `- name: ${name}`,
    ...(token === '' ? ['  user: {}'] : ['  user:', `    token: ${yamlScalar(token, 6)}`]),
    '',
  ].join('\n')
}

/**
 * Replaces the values of `token`, `password` and all `…-data` members of a kubeconfig by `REDACTED`, for logs and
 * diffs.
 */
export function redactKubeconfig(text: string): string {
  let hiddenDeeperThan = -1
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const depth = line.search(/\S/)
    if (hiddenDeeperThan >= 0 && (depth === -1 || depth > hiddenDeeperThan)) continue
    hiddenDeeperThan = -1
    const secret = /^(\s*(?:- )?["']?(?:token|password|[\w-]+-data)["']?\s*:)/.exec(line)
    if (secret === null) {
      lines.push(line)
      continue
    }
    lines.push(`${secret[1]} REDACTED`)
    // Later members of a YAML list item are indented two columns more than the item's dash.
    hiddenDeeperThan = depth + (line.trimStart().startsWith('- ') ? 2 : 0)
  }
  return text.endsWith('\n') && lines.at(-1) !== '' ? `${lines.join('\n')}\n` : lines.join('\n')
}

/**
 * URL of the API server, from the `KUBERNETES_SERVICE_` variables of a pod.
 *
 * @throws {@link InstallError} `INVALID_OPTIONS` if a variable is missing. The message names the variable.
 */
export function apiServerUrl(env: Readonly<Record<string, string | undefined>>): string {
  const host = env.KUBERNETES_SERVICE_HOST
  const port = env.KUBERNETES_SERVICE_PORT
  const protocol = env.KUBERNETES_SERVICE_PROTOCOL || 'https'
  if (!host) throw missing('KUBERNETES_SERVICE_HOST')
  if (!port) throw missing('KUBERNETES_SERVICE_PORT')
  const url = `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!isServerUrl(url)) {
    throw new InstallError('INVALID_OPTIONS', `${JSON.stringify(url)} is not the URL of an API server`)
  }
  return url
}

/** True for a URL without characters that are special in YAML or a shell. */
export function isServerUrl(text: string): boolean {
  return !/[\s"'#\\]/.test(text) && URL.canParse(text)
}

function missing(variable: string): InstallError {
  return new InstallError('INVALID_OPTIONS', `${variable} is not set: is this a pod, with service links?`)
}

/** Matches texts that YAML without quotes would not parse as a string, such as numbers, booleans and dates. */
const RESOLVES =
  /^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?|0[xob][\da-f_]+|[-+]?\.(?:inf|nan)|<<|=|\d{4}-\d\d?-\d\d?.*|[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?)$/i
const PLAIN = /^[A-Za-z0-9_./+][A-Za-z0-9_./+=-]*(?:[:=][A-Za-z0-9_./+=[\]-]+)*$/

/** Prints a string as a YAML scalar of the kubeconfig. */
function yamlScalar(text: string, indent: number): string {
  if (PLAIN.test(text) && !RESOLVES.test(text)) return text
  if (/^[!-~][ -~]*(?:\n[!-~][ -~]*)*\n?$/.test(text) && text.includes('\n')) {
    const lines = text.replace(/\n$/, '').split('\n')
    const pad = ' '.repeat(indent)
    return `|${text.endsWith('\n') ? '' : '-'}\n${lines.map((line) => pad + line).join('\n')}`
  }
  return JSON.stringify(text).replaceAll('\u007f', '\\x7f')
}
