import { isAbsolute } from 'node:path'
import { isConfName } from '@cni/installer'
import type { TunnelKind } from '@cni/istio-node-level'
import { isPodIdentity } from '@cni/istio-rules'
import { quote } from '@cni/types'
import { parseAddress, unmapAddress } from '@cni/types/ip'
import { ConfigError } from './config-error.ts'
import { commaList } from './plugin-entry.ts'
import { redirectModeOf, redirectModes } from './redirect-mode.ts'
import type { Values } from './variables.ts'

/**
 * Checks the value of each setting alone, without the values of other settings.
 *
 * @throws {@link ConfigError} for a value that can never work. The message names the environment variable.
 */
export function checkValues(values: Values): void {
  oneOf('FORCE_IPTABLES_BINARY', values.forceIptablesBinary, ['', 'legacy', 'nft'])
  oneOf('CHECK_MODE', values.checkMode, ['', 'verify', 'none'])
  address('HOST_PROBE_SNAT_IP', values.hostProbeSnatIp, 4)
  address('HOST_PROBE_SNAT_IPV6', values.hostProbeSnatIpv6, 6)
  for (const [name, value] of pathsOf(values)) absolute(name, value)
  if (values.cniConfName !== '') confFile('CNI_CONF_NAME', values.cniConfName)
  const owned = values.istioOwnedCniConfigFilename
  if (owned !== '') confFile('ISTIO_OWNED_CNI_CONFIG_FILENAME', owned)
  pluginAccount(values)
  if (values.ambientEnabled) absolute('ZTUNNEL_UDS_ADDRESS', values.ztunnelUdsAddress)
  nodeLevel(values)
  port('HEALTH_PORT', values.healthPort)
  if (values.monitoringPort > 0) port('MONITORING_PORT', values.monitoringPort)
  if (values.kubeconfigMode < 0 || values.kubeconfigMode > 0o7777) {
    throw new ConfigError(`KUBECONFIG_MODE ${values.kubeconfigMode} is not a file mode such as 0600`)
  }
}

function nodeLevel(values: Values): void {
  oneOf('AMBIENT_REDIRECT_MODE', values.ambientRedirectMode, ['', ...redirectModes])
  redirectModeOf(values)
  oneOf('AMBIENT_TUNNEL', values.ambientTunnel, ['geneve', 'vxlan'] satisfies readonly TunnelKind[])
  absolute('AMBIENT_CONFIG_FILE', values.ambientConfigFile)
  if (values.hostIp !== '') address('HOST_IP', values.hostIp, 4)
}

function pathsOf(values: Values): (readonly [name: string, path: string])[] {
  const binDirs = commaList(values.mountedCniBinDirs)
  return [
    ['MOUNTED_CNI_NET_DIR', values.mountedCniNetDir],
    ...(binDirs.length === 0 ? [''] : binDirs).map((path) => ['MOUNTED_CNI_BIN_DIRS', path] as const),
    ['CNI_BIN_SOURCE_DIR', values.cniBinSourceDir],
    ['CNI_AGENT_RUN_DIR', values.cniAgentRunDir],
    ['SERVICE_ACCOUNT_DIR', values.serviceAccountDir],
    ...givenPaths({
      KUBE_CA_FILE: values.kubeCaFile,
      CRI_SOCKET: values.criSocket,
      CNI_NET_DIR: values.cniNetDir,
      MOUNTED_CNI_CACHE_DIR: values.mountedCniCacheDir,
      CNI_CACHE_DIR: values.cniCacheDir,
    }),
  ]
}

const givenPaths = (paths: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(paths).filter(([, path]) => path !== '')

function absolute(name: string, path: string): void {
  if (isAbsolute(path) && !path.includes('\0')) return
  throw new ConfigError(`${name} has the value ${quote(path)}: expected an absolute path`)
}

function confFile(name: string, value: string): void {
  if (isConfName(value) && !/[/\0]/.test(value) && !value.startsWith('.')) return
  const expected = 'expected a file name that ends in .conf, .conflist or .json: runtimes read no other file'
  throw new ConfigError(`${name} has the value ${quote(value)}: ${expected}`)
}

function pluginAccount({ pluginServiceAccount: name, podNamespace: namespace }: Values): void {
  if (name === '') return
  if (namespace === '') {
    throw new ConfigError('PLUGIN_SERVICE_ACCOUNT needs POD_NAMESPACE, the namespace of that service account')
  }
  if (isPodIdentity({ namespace, name })) return
  const expected = 'expected the name of a service account, and of its namespace in POD_NAMESPACE'
  throw new ConfigError(`PLUGIN_SERVICE_ACCOUNT has the value ${quote(name)}: ${expected}`)
}

function oneOf(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return
  const words = allowed.filter((one) => one !== '').join(' or ')
  const orNothing = allowed.includes('') ? ', or nothing' : ''
  throw new ConfigError(`${name} has the value ${quote(value)}: expected ${words}${orNothing}`)
}

function address(name: string, value: string, family: 4 | 6): void {
  const bytes = parseAddress(value)
  if (bytes !== undefined && unmapAddress(bytes).length === (family === 4 ? 4 : 16)) return
  throw new ConfigError(`${name} has the value ${quote(value)}: expected an IPv${family} address`)
}

function port(name: string, value: number): void {
  if (value < 0 || value > 65535) throw new ConfigError(`${name} ${value} is not a port: expected 0 to 65535`)
}
