import type { KernelSide } from '../kernel-side.ts'
import type { EbpfSideOptions } from './ebpf-side-options.ts'
import { openEbpfSide } from './open-ebpf-side.ts'

/**
 * Node-level redirection by programs on the links of pods, as Istio 1.18 had it, on networks with routes or bridges. Loads
 * and pins the programs. `variant` says how sockets of ztunnel are found.
 *
 * @throws `EbpfError` where the kernel or the file system cannot do it, with what is missing.
 */
export function ebpfSide(options: EbpfSideOptions): KernelSide & { readonly variant: 'tproxy' | 'mark' } {
  const { objects, ...side } = openEbpfSide(options)
  return { ...side, variant: objects.variant }
}
