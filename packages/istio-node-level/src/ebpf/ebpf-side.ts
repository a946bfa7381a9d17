import type { KernelSide } from '../kernel-side.ts'
import type { EbpfSideOptions } from './ebpf-side-options.ts'
import { openEbpfSide } from './open-ebpf-side.ts'

/**
 * Node-level redirection by eBPF programs on the links of pods, as in Istio 1.18. Works on networks with routes or
 * bridges. Loads and pins the programs. The option `variant` selects how packets reach ztunnel's sockets.
 *
 * @throws `EbpfError` that names the missing feature of the kernel or the file system.
 */
export function ebpfSide(options: EbpfSideOptions): KernelSide & { readonly variant: 'tproxy' | 'mark' } {
  const { objects, ...side } = openEbpfSide(options)
  return { ...side, variant: objects.variant }
}
