import type { ChosenKernelSide, KernelSideOptions, MakeKernelSide } from '../kernel-sides.ts'
import { chooseIptables } from '../node/choose-backend.ts'

/** Creates the `KernelSide` for the configured mode, and loads only the code of that mode. */
export const makeKernelSide: MakeKernelSide = async (options) => {
  const { config, host, hostIp, log, nodeLevel, settings } = options
  if (nodeLevel.mode === 'node-ebpf') return await byEbpf(options)
  // Native nftables is never chosen, because node-level redirection does not support it.
  const { forceIptablesBinary: forced, backendFile: stateFile } = config
  const { backend, why, warnings } = await chooseIptables(forced, { netns: host, stateFile })
  for (const text of warnings) log.warn(text)
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
