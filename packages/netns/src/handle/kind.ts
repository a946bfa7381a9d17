import { readFileSync, readlinkSync } from 'node:fs'

/** Asks the kernel for the kind of a namespace; `undefined` when it does not know the question. */
export type KindProbe = (fd: number) => string | undefined

let probe: KindProbe | undefined

/** Registered with the system calls: an ioctl tells the kind. */
export function useKindProbe(fast: KindProbe): void {
  probe = fast
}

/**
 * The kind of the namespace behind a descriptor: `net`, `mnt`, `pid` … All are nsfs files.
 * `undefined` when it cannot be told: a bind mount of another mount namespace, reached through /proc/<pid>/root,
 * and no FFI. Entering it checks again.
 */
export function namespaceKind(fd: number): string | undefined {
  const name = readlinkSync(`/proc/thread-self/fd/${fd}`)
  // The kernel's own name for it. A bind mount shows its path instead, which starts with a slash.
  return (name.startsWith('/') ? undefined : kindOfName(name)) ?? probe?.(fd) ?? kindOfMount(fd)
}

// Reads the whole mount table of the node. The probe does not.
function kindOfMount(fd: number): string | undefined {
  const id = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/thread-self/fdinfo/${fd}`, 'latin1'))?.[1]
  if (id === undefined) return undefined
  const mounts = `\n${readFileSync('/proc/thread-self/mountinfo', 'latin1')}`
  const start = mounts.indexOf(`\n${id} `) + 1
  if (start === 0) return undefined
  // id, parent, device, root: of a namespace the root is its name
  return kindOfName(mounts.slice(start, mounts.indexOf('\n', start)).split(' ')[3] ?? '')
}

function kindOfName(name: string): string | undefined {
  return /^(\w+):\[\d+\]$/.exec(name)?.[1]
}
