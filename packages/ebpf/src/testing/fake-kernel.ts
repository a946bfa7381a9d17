import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import {
  MAP_CREATE,
  MAP_DELETE,
  MAP_LOOKUP,
  MAP_NEXT_KEY,
  MAP_TAKE,
  MAP_UPDATE,
  OBJ_GET,
  OBJ_INFO,
  OBJ_PIN,
  PROG_LOAD,
  textAt,
} from '../call.ts'
import type { Kernel } from '../kernel.ts'
import { type FakeMap, fakeMap } from './fake-map.ts'
import { refuse } from './refuse.ts'

interface FakeProgram {
  readonly name: string
  readonly instructions: Buffer
}

/** Object of the fake kernel. Its descriptor equals its id, because the fake rtnetlink gets only the descriptor. */
type FakeObject = { readonly id: number } & ({ readonly map: FakeMap } | { readonly program: FakeProgram })

const BPFFS = '/sys/fs/bpf'
const [BPF_FS_MAGIC, OTHER_MAGIC] = [0xcafe4a11, 0xef53]
export function fakeKernel({
  verifier,
  bpffs = true,
  privileged = true,
}: {
  verifier?: ((name: string, instructions: Uint8Array) => string | undefined) | undefined
  bpffs?: boolean | undefined
  privileged?: boolean | undefined
}): Kernel {
  const objects = new Map<number, FakeObject>()
  const pins = new Map<string, FakeObject>()
  const folders = new Set(['/', '/sys', '/sys/fs', BPFFS])
  const mounted = new Set(bpffs ? [BPFFS] : [])
  let last = 999

  const keep = (object: (id: number) => FakeObject): number => {
    last++
    objects.set(last, object(last))
    return last
  }
  const objectAt = (attr: DataView, offset = 0): FakeObject =>
    objects.get(attr.getUint32(offset, true)) ?? refuse('EINVAL')
  const mapAt = (attr: DataView): FakeMap => {
    const object = objectAt(attr)
    return 'map' in object ? object.map : refuse('EINVAL')
  }
  const isOnBpffs = (path: string): boolean => [...mounted].some((at) => path === at || path.startsWith(`${at}/`))

  const commands: Readonly<Record<number, (attr: DataView, at: (offset: number) => Buffer) => number>> = {
    [MAP_CREATE]: (attr) => keep((id) => ({ id, map: fakeMap(attr) })),
    [MAP_LOOKUP]: (attr, at) => mapAt(attr).lookup(at(8), at(16)),
    [MAP_UPDATE]: (attr, at) => mapAt(attr).update(at(8), at(16), attr.getUint32(24, true)),
    [MAP_DELETE]: (attr, at) => mapAt(attr).delete(at(8)),
    [MAP_NEXT_KEY]: (attr, at) => mapAt(attr).next(at(8), at(16)),
    [MAP_TAKE]: (attr, at) => mapAt(attr).take(at(16)),
    [PROG_LOAD](attr, at) {
      const name = textAt(Buffer.from(attr.buffer, attr.byteOffset, attr.byteLength), 48, 16)
      const instructions = Buffer.from(at(8))
      const log = verifier?.(name, instructions)
      if (log === undefined) return keep((id) => ({ id, program: { name, instructions } }))
      at(32).write(`${log}\0`)
      return refuse('EACCES')
    },
    [OBJ_PIN](attr, at) {
      const path = textAt(at(0), 0, at(0).length)
      if (!isOnBpffs(path)) refuse('EINVAL')
      if (pins.has(path) || folders.has(path)) refuse('EEXIST')
      if (!folders.has(posix.dirname(path))) refuse('ENOENT')
      pins.set(path, objectAt(attr, 8))
      return 0
    },
    [OBJ_GET](_, at) {
      const object = pins.get(textAt(at(0), 0, at(0).length)) ?? refuse('ENOENT')
      objects.set(object.id, object)
      return object.id
    },
    [OBJ_INFO](attr, at) {
      writeInfo(objectAt(attr), at(8))
      return 0
    },
  }

  return {
    bpf(command, attr, pointers = []) {
      if (!privileged) refuse('EPERM')
      const find = (offset: number): Buffer => {
        const bytes = pointers.find(([at]) => at === offset)?.[1]
        return bytes === undefined ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      }
      const act = commands[command] ?? refuse('ENOTSUPP')
      return act(new DataView(attr.buffer, attr.byteOffset, attr.length), find)
    },
    // Does not close the descriptor, because all handles of an object share one descriptor.
    close() {},
    mount(folder) {
      if (!privileged) refuse('EPERM', 'mount')
      if (!folders.has(folder)) refuse('ENOENT', 'mount')
      mounted.add(folder)
    },
    fileSystem(path) {
      if (!folders.has(path) && !pins.has(path)) return undefined
      return isOnBpffs(path) ? BPF_FS_MAGIC : OTHER_MAGIC
    },
    mounts: () => '',
    capabilities: () => (privileged ? 2n ** 41n - 1n : 0n),
    makeFolder(path) {
      for (let at = path; !folders.has(at); at = posix.dirname(at)) folders.add(at)
    },
    removeFolder(path) {
      if ([...folders, ...pins.keys()].some((each) => posix.dirname(each) === path && each !== path)) {
        refuse('ENOTEMPTY', 'rmdir')
      }
      folders.delete(path)
    },
    list(folder) {
      if (!folders.has(folder)) return undefined
      const all = [...folders, ...pins.keys()].filter((each) => each !== folder && posix.dirname(each) === folder)
      return all.map((each) => posix.basename(each))
    },
    unlink: (path) => void (pins.delete(path) || refuse('ENOENT', 'unlink')),
    rename(from, to) {
      pins.set(to, pins.get(from) ?? refuse('ENOENT', 'rename'))
      pins.delete(from)
    },
  }
}

function writeInfo(object: FakeObject, info: Buffer): void {
  info.fill(0)
  if ('map' in object) {
    const { type, keySize, valueSize, maxEntries, name } = object.map
    for (const [index, word] of [type, object.id, keySize, valueSize, maxEntries].entries()) {
      info.writeUInt32LE(word, 4 * index)
    }
    info.write(name, 24)
    return
  }
  const { name, instructions } = object.program
  info.writeUInt32LE(3, 0)
  info.writeUInt32LE(object.id, 4)
  createHash('sha1').update(instructions).digest().copy(info, 8, 0, 8)
  info.write(name, 64)
}
