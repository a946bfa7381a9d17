import type { IptablesBackend } from '@cni/iptables'
import { type CaptureConfig, nodeCapture, parseCapture } from '@cni/istio-rules'
import { quote } from '@cni/types'
import { iptablesBackend } from '../../backend.ts'
import { iptablesFlags } from './flags.ts'
import type { MachineState } from './machine-state.ts'
import type { IptablesSettings } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Validates the back end and the node's variables, even if the command writes no rule. */
export function checkSettings(settings: IptablesSettings, env: Environment): void {
  backendOf(settings)
  nodeCapture(env)
}

/** Returns the back end that the settings select: an iptables back end, or by default `auto`. */
export function backendOf({
  forceIptablesBinary: forced,
  iptablesVersion,
}: IptablesSettings): IptablesBackend | 'auto' {
  const backend = iptablesBackend(forced)
  if (backend !== undefined) return backend
  if (forced !== '') throw new Error(`--force-iptables-binary is ${quote(forced)}, expected legacy or nft`)
  if (/legacy/.test(iptablesVersion)) return 'iptables-legacy'
  return /nf_tables|nft/.test(iptablesVersion) ? 'iptables-nft' : 'auto'
}

/**
 * Builds the capture configuration from the command's settings. Throws an `Error` that names the flag and the value.
 */
export function captureOf(settings: IptablesSettings, machine: MachineState, env: Environment): CaptureConfig {
  // Replaces the dash in port ranges by iptables' colon, because nftables settings use dashes.
  const plain = (text: string) => (settings.nativeNftables ? text.replaceAll('-', ':') : text)
  const { includeInboundPorts, excludeInboundPorts, includeOutboundPorts, excludeOutboundPorts } = settings
  const texts = {
    ...settings,
    proxyUID: machine.proxyUID,
    proxyGID: machine.proxyGID,
    includeInboundPorts: plain(includeInboundPorts),
    excludeInboundPorts: plain(excludeInboundPorts),
    includeOutboundPorts: plain(includeOutboundPorts),
    excludeOutboundPorts: plain(excludeOutboundPorts),
  }
  const { ipv6 } = machine
  const rest = { ipv6, dns: dnsOf(settings, machine), dropInvalid: settings.dropInvalid, ...nodeCapture(env) }
  return parseCapture(texts, rest, (key) => `--${iptablesFlags[key].name}`)
}

// internal

function dnsOf({ redirectDns, captureAllDns }: IptablesSettings, { dnsServers }: MachineState): CaptureConfig['dns'] {
  if (!redirectDns) return 'none'
  return captureAllDns ? 'all' : dnsServers
}
