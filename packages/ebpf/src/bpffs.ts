import { posix } from 'node:path'
import { FOR_MOUNTS, missingCapability } from './capabilities.ts'
import { EbpfError } from './errors.ts'
import { errnoOf, type Kernel } from './kernel.ts'

/** Where a node has it. */
export const BPFFS = '/sys/fs/bpf'

/** statfs(2) of it. */
const BPF_FS_MAGIC = 0xcafe4a11

const HINT =
  'mount one with `mount -t bpf bpf /sys/fs/bpf`; a container takes the /sys/fs/bpf of its node, with HostToContainer propagation'

/** Is a path on a bpf file system, or, where there is nothing yet, would it be? */
export function isOnBpffs(kernel: Pick<Kernel, 'fileSystem'>, path: string): boolean {
  const type = kernel.fileSystem(path)
  if (type !== undefined) return type === BPF_FS_MAGIC
  const parent = posix.dirname(path)
  return parent !== path && isOnBpffs(kernel, parent)
}

/**
 * Mounts a bpf file system where there is none. Every mount is a new, empty one, and would hide the pins of one below it.
 * Throws `EbpfError`: `NO_BPFFS` where another one is hidden so, `EPERM`, `NOT_SUPPORTED`, or an errno name.
 */
export function mountBpffs(kernel: Kernel, folder: string): { mounted: boolean } {
  if (kernel.fileSystem(folder) === BPF_FS_MAGIC) {
    const [hidden] = hiddenMounts(kernel.mounts(), folder)
    if (hidden !== undefined) throw new EbpfError('NO_BPFFS', `Pins below ${folder}: ${several(hidden)}`)
    return { mounted: false }
  }
  const what = `Mount a bpf file system on ${folder}`
  try {
    kernel.mount(folder)
    return { mounted: true }
  } catch (cause) {
    const errno = errnoOf(cause)
    if (errno === undefined || errno === 'NO_FFI') throw cause
    if (errno === 'EPERM')
      throw new EbpfError('EPERM', `${what}: EPERM, ${missingCapability(kernel, FOR_MOUNTS)}`, { cause })
    if (errno === 'ENODEV')
      throw new EbpfError('NOT_SUPPORTED', `${what}: the kernel has none (CONFIG_BPF_SYSCALL)`, { cause })
    throw new EbpfError(errno, `${what}: ${errno}`, { cause })
  }
}

/** What is wrong with the file system of a pin, and the code of it where that is sure. */
export function filesystemProblem(kernel: Kernel, path: string): { code?: 'NO_BPFFS'; text: string } | undefined {
  if (!isOnBpffs(kernel, posix.dirname(path))) return { code: 'NO_BPFFS', text: `it is on no bpf file system: ${HINT}` }
  const [hidden] = hiddenMounts(kernel.mounts(), path)
  if (hidden === undefined) return undefined
  return { text: several(hidden) }
}

const several = (point: string): string =>
  `several bpf file systems are mounted on ${point}, and the last one hides the pins of the others: unmount it`

/** The mount points above a path that have more than one bpf file system; the same one twice hides nothing. */
function hiddenMounts(mountinfo: string, path: string): string[] {
  const devices = new Map<string, Set<string>>()
  for (const line of mountinfo.split('\n')) {
    if (!/ - bpf /.test(line)) continue
    const [, , device = '', , point = ''] = line.split(' ')
    if (path !== point && !path.startsWith(`${point}/`)) continue
    devices.set(point, (devices.get(point) ?? new Set()).add(device))
  }
  return [...devices].flatMap(([point, { size }]) => (size > 1 ? [point] : []))
}
