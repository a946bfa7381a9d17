import type { ChosenKernelSide, KernelSideOptions, MakeKernelSide } from '../kernel-sides.ts'
import { chooseBackend } from '../node/choose-backend.ts'

/** The kernel's side that the settings ask for; the other one is not loaded. */
export const makeKernelSide: MakeKernelSide = async (options) => {
  const { host, hostIp, log, nodeLevel, settings } = options
  if (nodeLevel.mode === 'node-ebpf') return await byEbpf(options)
  const { backend, why } = await backendOf(options)
  log.info(`rules on the node are written by ${backend}: ${why}`, { tunnel: nodeLevel.tunnel })
  const { iptablesSide } = await import('@cni/istio-node-level')
  const kernel = iptablesSide({ netns: host, hostIp, tunnel: nodeLevel.tunnel, backend, settings })
  return { kernel, needsNetns: false, backend }
}

// internal

/** Refused here where the kernel or the file systems cannot do it: before any pod is touched. */
async function byEbpf({ host, log, settings }: KernelSideOptions): Promise<ChosenKernelSide> {
  const { ebpfSide } = await import('@cni/istio-node-level')
  const kernel = ebpfSide({ netns: host, settings })
  const how =
    kernel.variant === 'tproxy' ? 'assigned by a program' : 'found by rules of TPROXY: queries cannot be captured'
  log.info(`programs are loaded and pinned: sockets of ztunnel are ${how}`)
  return { kernel, needsNetns: true }
}

/** Rules of nf_tables of our own are of ambient mode in pods. */
async function backendOf({ config, host, log }: KernelSideOptions) {
  const { forceIptablesBinary: forced, backendFile: stateFile } = config
  const wish = { nativeNftables: false, forced, ipv6: false }
  const { backend, why, warnings } = await chooseBackend(wish, { netns: host, stateFile })
  for (const text of warnings) log.warn(text)
  if (backend === 'nftables') throw new Error('rules on the node are written by iptables')
  return { backend, why }
}
