import type { ChosenKernelSide, KernelSideOptions, MakeKernelSide } from '../kernel-sides.ts'
import { chooseBackend } from '../node/choose-backend.ts'

/** Creates the `KernelSide` for the configured mode, and loads only the code of that mode. */
export const makeKernelSide: MakeKernelSide = async (options) => {
  const { host, hostIp, log, nodeLevel, settings } = options
  if (nodeLevel.mode === 'node-ebpf') return await byEbpf(options)
  const { backend, why } = await backendOf(options)
  log.info(`rules on the node are written with ${backend}: ${why}`, { tunnel: nodeLevel.tunnel })
  const { iptablesSide } = await import('@cni/istio-node-level')
  const kernel = iptablesSide({ netns: host, hostIp, tunnel: nodeLevel.tunnel, backend, settings })
  return { kernel, needsNetns: false, backend }
}

// internal

/** Creates the `KernelSide` of redirection by eBPF. Throws before any change if the node lacks support. */
async function byEbpf({ host, log, settings }: KernelSideOptions): Promise<ChosenKernelSide> {
  const { ebpfSide } = await import('@cni/istio-node-level')
  const kernel = ebpfSide({ netns: host, settings })
  const how =
    kernel.variant === 'tproxy'
      ? 'assigned by an eBPF program'
      : 'found by TPROXY rules: DNS queries cannot be captured'
  log.info(`eBPF programs are loaded and pinned: sockets of ztunnel are ${how}`)
  return { kernel, needsNetns: true }
}

/**
 * Chooses an iptables variant for node-level redirection. Native nftables is never chosen, because node-level
 * redirection does not support it.
 */
async function backendOf({ config, host, log }: KernelSideOptions) {
  const { forceIptablesBinary: forced, backendFile: stateFile } = config
  const wish = { nativeNftables: false, forced, ipv6: false }
  const { backend, why, warnings } = await chooseBackend(wish, { netns: host, stateFile })
  for (const text of warnings) log.warn(text)
  if (backend === 'nftables') throw new Error('node-level rules need iptables, but nftables was chosen')
  return { backend, why }
}
