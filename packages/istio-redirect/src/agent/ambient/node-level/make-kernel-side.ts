import { chooseBackEnd } from '../back-end.ts'
import type { KernelSideOptions, MakeKernelSide } from './kernel-sides.ts'

/** The kernel's side that the settings ask for; the other one is not loaded. */
export const makeKernelSide: MakeKernelSide = async (options) => {
  const { host, hostIp, log, nodeLevel } = options
  if (nodeLevel.mode !== 'node-iptables')
    throw new Error(`AMBIENT_REDIRECT_MODE ${nodeLevel.mode} is not part of this build`)
  const { backEnd, why } = await backEndOf(options)
  log.info(`rules on the node are written by iptables-${backEnd}: ${why}`, { tunnel: nodeLevel.tunnel })
  const { iptablesSide } = await import('../../../node-level/iptables-side.ts')
  const kernel = iptablesSide({ netns: host, hostIp, tunnel: nodeLevel.tunnel, backend: backEnd })
  return { kernel, needsNetns: false, backEnd }
}

// internal

/** Rules of nf_tables of our own are of ambient mode in pods. */
async function backEndOf({ config, host, log }: KernelSideOptions) {
  const { forceIptablesBinary: forced, backEndFile: stateFile } = config
  const wish = { nativeNftables: false, forced, ipv6: false }
  const { backEnd, why, warnings } = await chooseBackEnd(wish, { netns: host, stateFile })
  for (const text of warnings) log.warn(text)
  if (backEnd === 'native') throw new Error('rules on the node are written by iptables')
  return { backEnd, why }
}
