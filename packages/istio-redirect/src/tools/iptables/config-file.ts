import type { CaptureConfig } from '@cni/istio-rules'
import { messageOf, quote } from '@cni/types'
import type { ToolIo } from '../io.ts'
import { documents } from '../pod/read-pods.ts'
import { captureOf, checkSettings } from './capture.ts'
import { iptablesFlags, variablesOf } from './flags.ts'
import { readSettings } from './settings.ts'

/** Environment variables that a configuration file may contain in addition to the variables of all flags. */
const others = [
  'ENVOY_PORT',
  'ENABLE_INBOUND_IPV6',
  'ISTIO_OUTBOUND_OWNER_GROUPS',
  'ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE',
  'ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR',
]

/** Reads a configuration from a file of environment variables. Does not read the machine's state. */
export async function configFromFile(io: ToolIo, path: string): Promise<CaptureConfig> {
  const [document] = await documents(io, path)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new Error(`${path}: expected variables with their values`)
  }
  const known = new Set([...Object.values(iptablesFlags).flatMap((flag) => variablesOf(flag)), ...others])
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(document)) {
    if (!known.has(name)) throw new Error(`${path}: ${quote(name)} is not a variable of istio-redirect iptables`)
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      throw new Error(`${path}: ${name}: expected a text, a number or a boolean`)
    }
    env[name] = String(value)
  }
  try {
    const { ENVOY_PORT: proxyPort, ENABLE_INBOUND_IPV6: ipv6, ...variables } = env
    const { settings, warnings } = readSettings(proxyPort === undefined ? [] : ['-p', proxyPort], variables)
    // An invalid value is an error in a configuration file, and only a warning in the environment.
    if (warnings[0] !== undefined) throw new Error(warnings[0].replace(/; taken as .*$/, ''))
    checkSettings(settings, env)
    const proxyUID = settings.proxyUID || '1337'
    return captureOf(
      { ...settings, captureAllDns: true },
      {
        ipv6: ipv6 === undefined ? settings.dualStack : ipv6 === 'true',
        hostIP: '',
        ipv6Ignored: false,
        proxyUID,
        proxyGID: settings.proxyGID || proxyUID,
        dnsServers: { ipv4: [], ipv6: [] },
      },
      env,
    )
  } catch (cause) {
    throw new Error(`${path}: ${messageOf(cause)}`, { cause })
  }
}
