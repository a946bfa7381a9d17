import { posix } from 'node:path'
import { FOR_MOUNTS, missingCapability } from './capabilities.ts'
import { EbpfError } from './errors.ts'
import { errnoOf, type Kernel } from './kernel.ts'

/** Folder on which a bpf file system is usually mounted. */
export const BPFFS = '/sys/fs/bpf'

/** Number with which statfs(2) identifies a bpf file system. */
const BPF_FS_MAGIC = 0xcafe4a11

const HINT =
  'mount one with `mount -t bpf bpf /sys/fs/bpf`; a container takes the /sys/fs/bpf of its node, with HostToContainer propagation'

/** True if a path is on a bpf file system. For a missing path, tests its parent folder. */
export function isOnBpffs(kernel: Pick<Kernel, 'fileSystem'>, path: string): boolean {
  const type = kernel.fileSystem(path)
  if (type !== undefined) return type === BPF_FS_MAGIC
  const parent = posix.dirname(path)
  return parent !== path && isOnBpffs(kernel, parent)
}

/**
 * Mounts a bpf file system on a folder. Mounts nothing if the folder is already on a bpf file system. Throws
 * `EbpfError`: `NO_BPFFS` if one bpf file system already hides another there. Other codes: `EPERM`, `NOT_SUPPORTED`, or
 * an errno name.
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
      throw new EbpfError('NOT_SUPPORTED', `${what}: the kernel has no bpf file system (CONFIG_BPF_SYSCALL)`, { cause })
    throw new EbpfError(errno, `${what}: ${errno}`, { cause })
  }
}

/** Finds a reason why a pin is missing. The reason is certain if it has a `code`, else only possible. */
export function filesystemProblem(kernel: Kernel, path: string): { code?: 'NO_BPFFS'; text: string } | undefined {
  if (!isOnBpffs(kernel, posix.dirname(path)))
    return { code: 'NO_BPFFS', text: `it is not on a bpf file system: ${HINT}` }
  const [hidden] = hiddenMounts(kernel.mounts(), path)
  if (hidden === undefined) return undefined
  return { text: several(hidden) }
}

const several = (point: string): string =>
  `several bpf file systems are mounted on ${point}, and the last one hides the pins of the others: unmount it`

/** Mount points at or above the path where one bpf file system hides another. */
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
