import { posix } from 'node:path'
import { filesystemProblem } from './bpffs.ts'
import { int } from './codec.ts'
import { checkInteger, describeValue, EbpfError, invalid } from './errors.ts'
import { errnoOf, type Kernel } from './kernel.ts'
import { arrayMap } from './maps.ts'
import { openProgram } from './program.ts'
import { createRawMap, openRawMap } from './raw-map.ts'
import type { Ebpf, MapSpec, Program } from './types.ts'

const VERSION = 'version'
const versionMap = arrayMap({ name: VERSION, value: int('u32'), maxEntries: 1 })
/** Suffix of a temporary pin. It has no dot, because the kernel rejects dots. */
const NEW = '_new'

/** Folder of pinned maps and programs. One more pinned map holds the version of the folder's layout. */
export class PinFolder {
  readonly path: string
  readonly #kernel: Kernel
  readonly #create: boolean

  constructor(kernel: Kernel, path: string, { version, create = false }: Parameters<Ebpf['pins']>[1]) {
    this.#kernel = kernel
    this.#create = create
    this.path = checkFolder(path)
    checkInteger(version, 0, 0xffffffff, 'version')
    const names = kernel.list(path)
    if (names === undefined || (names.length === 0 && create)) this.#make(version, names === undefined)
    else this.#check(version, names)
  }

  /** Path of a pin in this folder, from the pin's name. */
  pathOf(name: string): string {
    if (/^[A-Za-z0-9_-]{1,64}$/.test(name) && name !== VERSION) return posix.join(this.path, name)
    return invalid(
      `Not a name of a pin: ${describeValue(name)}; expected 1 to 64 of A-Z a-z 0-9 _ - that are not "${VERSION}"`,
    )
  }

  /** Opens the pinned map. With the option `create`, creates and pins a missing map. */
  map<M>(spec: MapSpec<M>): M {
    const path = this.pathOf(spec.name)
    // Lists the folder first: opening a missing pin is slow, because its error message needs a search of all mounts.
    const isThere = !this.#create || this.#kernel.list(this.path)?.includes(spec.name) === true
    if (isThere) return spec.open(openRawMap(this.#kernel, spec, path))
    const map = createRawMap(this.#kernel, spec)
    try {
      map.pin(path)
      return spec.open(map)
    } catch (error) {
      map.close()
      throw error
    }
  }

  /** Opens the program that is pinned in the folder under a name. */
  program(name: string): Program {
    return openProgram(this.#kernel, this.pathOf(name))
  }

  /** Pins a program in the folder. Atomically replaces a program that is pinned under the same name. */
  putProgram(name: string, program: Pick<Program, 'pin'>): void {
    const path = this.pathOf(name)
    const temporary = `${path}${NEW}`
    this.#unlink(temporary)
    program.pin(temporary)
    this.#kernel.rename(temporary, path)
  }

  /** Removes a pin from the folder. Returns false if the pin is missing. */
  unpin(name: string): boolean {
    return this.#unlink(this.pathOf(name))
  }

  /** Names of all pins in the folder, sorted. */
  list(): string[] {
    return (this.#kernel.list(this.path) ?? []).filter((name) => name !== VERSION).sort()
  }

  /** Removes all pins and the folder. Attached and open objects continue to exist. */
  remove(): void {
    removePins(this.#kernel, this.path)
  }

  #make(version: number, missing: boolean): void {
    const problem = filesystemProblem(this.#kernel, posix.join(this.path, VERSION))
    if (missing && !this.#create) {
      const text = problem === undefined ? 'its program has not made it yet, or it was removed' : problem.text
      throw new EbpfError(problem?.code ?? 'NOT_FOUND', `Open pins ${this.path}: the folder does not exist; ${text}`)
    }
    if (problem?.code !== undefined) throw new EbpfError(problem.code, `Make pins ${this.path}: ${problem.text}`)
    using map = versionMap.open(createRawMap(this.#kernel, versionMap))
    map.set(0, version)
    this.#kernel.makeFolder(this.path)
    try {
      map.pin(posix.join(this.path, VERSION))
    } catch (error) {
      if (missing) this.#kernel.removeFolder(this.path)
      throw error
    }
  }

  #check(version: number, names: readonly string[]): void {
    const found = names.includes(VERSION) ? this.#version() : undefined
    if (found === version) return
    const has = found === undefined ? 'no version' : `version ${found}`
    throw new EbpfError(
      'MISMATCH',
      `The pins in ${this.path} have ${has}, expected ${version}: another release made them; remove them, or use another folder`,
    )
  }

  #version(): number | undefined {
    using map = versionMap.open(openRawMap(this.#kernel, versionMap, posix.join(this.path, VERSION)))
    return map.get(0)
  }

  #unlink(path: string): boolean {
    return unlink(this.#kernel, path)
  }
}

/** Removes a folder with all its pins. Does nothing if the folder does not exist. */
export function removePins(kernel: Kernel, path: string): void {
  const names = kernel.list(checkFolder(path))
  if (names === undefined) return
  // Removes the version's pin first, because other processes then reject the half-removed folder.
  for (const name of [VERSION, ...names]) unlink(kernel, posix.join(path, name))
  kernel.removeFolder(path)
}

function unlink(kernel: Kernel, path: string): boolean {
  try {
    kernel.unlink(path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw error
  }
}

function checkFolder(path: unknown): string {
  if (typeof path === 'string' && posix.isAbsolute(path) && !path.includes('\0')) return path
  return invalid(`Not a folder of pins: ${describeValue(path)}; expected an absolute path`)
}
