import type { KernelSide } from '../kernel-side.ts'
import type { EbpfSideOptions } from './ebpf-side-options.ts'
import { openEbpfSide } from './open-ebpf-side.ts'

/**
 * Node-level redirection by eBPF programs on the links of pods. Works on networks with routes or bridges.
 *
 * @throws `EbpfError` that names the missing feature of the kernel or the file system.
 */
export function ebpfSide(options: EbpfSideOptions): KernelSide & { readonly variant: 'tproxy' | 'mark' } {
  const { objects, ...side } = openEbpfSide(options)
  return { ...side, variant: objects.variant }
}
