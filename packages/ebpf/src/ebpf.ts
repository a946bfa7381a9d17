import { BPFFS, isOnBpffs, mountBpffs } from './bpffs.ts'
import { type Features, findFeatures } from './features.ts'
import { type Kernel, realKernel } from './kernel.ts'
import type { MapSpec } from './maps.ts'
import { PinFolder, type PinsOptions, removePins } from './pins.ts'
import { loadProgram, openProgram, type Program, type ProgramSource } from './program.ts'
import { createRawMap, openRawMap } from './raw-map.ts'

/** Pins that belong together, of one version, in a folder of a bpf file system. */
export interface Pins {
  readonly path: string
  /** The path of a pin. Throws `EbpfError('INVALID')`. */
  pathOf(name: string): string
  /** Opens the map that is pinned under its name; with `create` makes and pins it where it is not there. */
  map<M>(spec: MapSpec<M>): M
  /** Opens the program that is pinned under a name. Throws `EbpfError`: `NOT_FOUND` … */
  program(name: string): Program
  /** Pins a program, in the place of another one between two look-ups. */
  putProgram(name: string, program: Pick<Program, 'pin'>): void
  /** False when it is not there. */
  unpin(name: string): boolean
  /** What is pinned, in order. */
  list(): string[]
  /** Unpins everything, and removes the folder. What is attached or open stays. */
  remove(): void
}

/** The kernel's eBPF. Every call is synchronous, and throws an `EbpfError`. */
export interface Ebpf {
  /** One that nobody sees until it is pinned, or used by a program. */
  createMap<M>(spec: MapSpec<M>): M
  /** Throws `NOT_FOUND`, `MISMATCH` when its kind, sizes or number of entries are not the spec's. */
  openMap<M>(spec: MapSpec<M>, path: string): M
  /** Throws `VERIFIER` with what the verifier said, `NOT_SUPPORTED` for a helper that the kernel does not have. */
  load(source: ProgramSource): Program
  /** A pinned program, whoever loaded it. Throws `NOT_FOUND`, `MISMATCH` when it is not for the traffic of links. */
  openProgram(path: string): Program
  /** Throws `NO_BPFFS`, `NOT_FOUND` without `create`, `MISMATCH` for another version. */
  pins(folder: string, options: PinsOptions): Pins
  /** Unpins everything in a folder, of whatever version; nothing where there is none. */
  removePins(folder: string): void
  /** What programs may call on this kernel. Throws `EPERM` where nothing can be found out. */
  features(): Features
  /** Is it on a bpf file system? */
  isOnBpffs(path: string): boolean
  /** Mounts a bpf file system where there is none. Default: `/sys/fs/bpf`. */
  mountBpffs(folder?: string): { mounted: boolean }
}

/**
 * The kernel that runs us.
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
  return ebpfOver(realKernel())
}

/** The same over a fake of the kernel. */
export function ebpfOver(kernel: Kernel): Ebpf {
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
