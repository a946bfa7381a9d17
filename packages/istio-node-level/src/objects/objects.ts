import { dirname } from 'node:path'
import { type Ebpf, ebpf, isEbpfError, type Pins, type Program } from '@cni/ebpf'
import { assemble } from '../asm/assemble.ts'
import { LICENSE, type ProgramName, programs } from '../programs/programs.ts'
import { mapSpecs } from './maps.ts'

/** Default folder of the pinned eBPF maps and programs. */
export const PINS = '/sys/fs/bpf/ambient'

/**
 * Layout version of the pinned maps and programs. If the pins have another version, opening them fails with `MISMATCH`.
 */
const VERSION = 1

/** Variant of the eBPF programs in ztunnel's namespace. Programs assign sockets (`tproxy`) or mark packets (`mark`). */
export type Variant = 'tproxy' | 'mark'

/** Options of {@link openObjects}, which opens the eBPF maps and programs of a node. */
export interface ObjectsOptions {
  /** Folder of the pinned maps and programs, in a bpf file system. */
  readonly pins?: string | undefined
  /** Variant of the eBPF programs in ztunnel's namespace. Default: `tproxy` if the kernel supports it. */
  readonly variant?: Variant | undefined
}

/** Open and pinned eBPF maps and programs of a node. */
export interface Objects extends Disposable {
  readonly variant: Variant
  readonly maps: ReturnType<typeof openMaps>
  /** eBPF programs by name. A program, its pin and its tc filter have the same name. */
  readonly programs: ReadonlyMap<ProgramName, Program>
  /** Lists the open eBPF maps and programs whose pins are missing in the bpf file system. */
  missingPins(): readonly string[]
  /** Pins an open eBPF map or program again under its name. */
  restorePin(name: string): void
}

/** Opens the node's pinned eBPF maps and programs. Loads missing programs. Throws an `EbpfError`. */
export function openObjects({ pins: folder = PINS, variant: wanted }: ObjectsOptions = {}): Objects {
  const kernel = ebpf()
  kernel.mountBpffs(dirname(folder))
  const pins = kernel.pins(folder, { version: VERSION, create: true })
  const opened: Disposable[] = []
  const close = (): void => {
    for (const each of opened.splice(0)) each[Symbol.dispose]()
  }
  const opening = <T extends Disposable>(one: T): T => {
    opened.push(one)
    return one
  }
  try {
    const there = new Set(pins.list())
    // Unpins all programs if a map is missing, because the programs use the removed map.
    if (!Object.keys(mapSpecs).every((name) => there.has(name))) {
      for (const name of Object.keys(programs)) if (there.delete(name)) pins.unpin(name)
    }
    const maps = openMaps(pins, opening)
    const descriptors = Object.fromEntries(Object.entries(maps).map(([name, map]) => [name, map.fd]))
    const load = (name: ProgramName): Program => {
      const text = programs[name]
      const loaded = kernel.load({ name: text.name, instructions: assemble(text, descriptors), license: LICENSE })
      opening(loaded)
      if (there.has(name)) {
        const pinned = opening(pins.program(name))
        if (pinned.tag === loaded.tag) {
          loaded.close()
          return pinned
        }
        pinned.close()
      }
      pins.putProgram(name, loaded)
      return loaded
    }
    const open = new Map<ProgramName, Program>()
    const assigning = wanted === 'mark' ? undefined : assigningProgram(load, wanted === 'tproxy')
    if (assigning !== undefined) open.set('ztunnel_tproxy', assigning)
    else open.set('ztunnel_ingress', load('ztunnel_ingress'))
    for (const name of ['app_outbound', 'app_inbound', 'ztunnel_host_ingress'] as const) open.set(name, load(name))
    const pinnable = new Map<string, { pin(path: string): void }>([...Object.entries(maps), ...open])
    return {
      variant: assigning === undefined ? 'mark' : 'tproxy',
      maps,
      programs: open,
      missingPins() {
        const now = new Set(pins.list())
        return [...pinnable.keys()].filter((name) => !now.has(name))
      },
      restorePin: (name) => restorePin(kernel, folder, name, pinnable.get(name)),
      [Symbol.dispose]: close,
    }
  } catch (error) {
    close()
    throw error
  }
}

// internal

function openMaps(pins: Pins, opening: <T extends Disposable>(one: T) => T) {
  return {
    log_level: opening(pins.map(mapSpecs.log_level)),
    host_ip_info: opening(pins.map(mapSpecs.host_ip_info)),
    ztunnel_info: opening(pins.map(mapSpecs.ztunnel_info)),
    ztunnel_before: opening(pins.map(mapSpecs.ztunnel_before)),
    app_info: opening(pins.map(mapSpecs.app_info)),
    pod_uids: opening(pins.map(mapSpecs.pod_uids)),
    drops: opening(pins.map(mapSpecs.drops)),
  }
}

/** Loads the eBPF program that assigns packets to sockets, if the kernel supports it. */
function assigningProgram(load: (name: ProgramName) => Program, required: boolean): Program | undefined {
  try {
    return load('ztunnel_tproxy')
  } catch (error) {
    if (required || !isEbpfError(error) || error.code !== 'NOT_SUPPORTED') throw error
    return undefined
  }
}

/** Pins an eBPF map or program again. Creates the folder of the pins if it is missing. */
function restorePin(kernel: Ebpf, folder: string, name: string, what: { pin(path: string): void } | undefined): void {
  kernel.mountBpffs(dirname(folder))
  what?.pin(kernel.pins(folder, { version: VERSION, create: true }).pathOf(name))
}
