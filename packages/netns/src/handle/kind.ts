import { readFileSync, readlinkSync } from 'node:fs'

/** Asks the kernel for the kind of a namespace. Returns `undefined` if the kernel does not support the request. */
export type KindProbe = (fd: number) => string | undefined

let probe: KindProbe | undefined

/** Registers a probe that asks the kernel with an ioctl. The module with the system calls registers it. */
export function useKindProbe(fast: KindProbe): void {
  probe = fast
}

/**
 * Kind of the namespace behind a descriptor (`net`, `mnt`, `pid` …); all kinds are nsfs files. `undefined` if the kind
 * is unknown: for a bind mount of another mount namespace, reached through /proc/<pid>/root, without FFI. Entering the
 * namespace checks the kind again.
 */
export function namespaceKind(fd: number): string | undefined {
  const name = readlinkSync(`/proc/thread-self/fd/${fd}`)
  // The link below /proc/self/fd shows the kernel's name of the namespace. For a bind mount it shows a path, which
  // starts with a slash.
  return (name.startsWith('/') ? undefined : kindOfName(name)) ?? probe?.(fd) ?? kindOfMount(fd)
}

// Finds the kind in the node's mount table. The probe is faster, because this function reads the whole table.
function kindOfMount(fd: number): string | undefined {
  const id = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/thread-self/fdinfo/${fd}`, 'latin1'))?.[1]
  if (id === undefined) return undefined
  const mounts = `\n${readFileSync('/proc/thread-self/mountinfo', 'latin1')}`
  const start = mounts.indexOf(`\n${id} `) + 1
  if (start === 0) return undefined
  // Fields of a line of mountinfo: id, parent, device, root. The root of a namespace mount is the namespace's name.
  return kindOfName(mounts.slice(start, mounts.indexOf('\n', start)).split(' ')[3] ?? '')
}

function kindOfName(name: string): string | undefined {
  return /^(\w+):\[\d+\]$/.exec(name)?.[1]
}
