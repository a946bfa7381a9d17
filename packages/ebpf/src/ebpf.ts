import { BPFFS, isOnBpffs, mountBpffs } from './bpffs.ts'
import { findFeatures } from './features.ts'
import { type Kernel, realKernel } from './kernel.ts'
import { PinFolder, removePins } from './pins.ts'
import { loadProgram, openProgram } from './program.ts'
import { createRawMap, openRawMap } from './raw-map.ts'
import type { Ebpf } from './types.ts'

/**
 * Access to eBPF of the running kernel: maps, programs and pins.
 *
 * @example
 * ```ts
 * import { ebpf } from '@cni/ebpf'
 *
 * using program = ebpf().openProgram('/sys/fs/bpf/my-agent/count')
 * export const { id, tag } = program
 * ```
 */
export function ebpf(): Ebpf {
  return ebpfFrom(realKernel())
}

/** Access to eBPF through a given implementation of the kernel interface, such as a fake for tests. */
export function ebpfFrom(kernel: Kernel): Ebpf {
  return {
    createMap: (spec) => spec.open(createRawMap(kernel, spec)),
    openMap: (spec, path) => spec.open(openRawMap(kernel, spec, path)),
    load: (source) => loadProgram(kernel, source),
    openProgram: (path) => openProgram(kernel, path),
    pins: (folder, options) => new PinFolder(kernel, folder, options),
    removePins: (folder) => removePins(kernel, folder),
    features: () => findFeatures(kernel),
    isOnBpffs: (path) => isOnBpffs(kernel, path),
    mountBpffs: (folder = BPFFS) => mountBpffs(kernel, folder),
  }
}
