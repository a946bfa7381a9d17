import { readFileSync, readlinkSync } from 'node:fs'

/**
 * Function that asks the kernel for a namespace's kind (`net`, `mnt` …). Returns `undefined` if the kernel cannot
 * answer.
 */
export type KindProbe = (fd: number) => string | undefined

let probe: KindProbe | undefined

/** Registers a function that asks the kernel for a namespace's kind with an ioctl. */
export function useKindProbe(fast: KindProbe): void {
  probe = fast
}

/** Returns the kind of the namespace behind a descriptor, or `undefined` if the kind cannot be read. */
export function namespaceKind(fd: number): string | undefined {
  const name = readlinkSync(`/proc/thread-self/fd/${fd}`)
  // The symbolic link's target is `net:[4026531840]`, or a path if the descriptor was opened through a bind mount.
  return (name.startsWith('/') ? undefined : kindOfName(name)) ?? probe?.(fd) ?? kindOfMount(fd)
}

// Finds a namespace's kind in the mount table. An ioctl would be faster.
function kindOfMount(fd: number): string | undefined {
  const id = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/thread-self/fdinfo/${fd}`, 'latin1'))?.[1]
  if (id === undefined) return undefined
  const mounts = `\n${readFileSync('/proc/thread-self/mountinfo', 'latin1')}`
  const start = mounts.indexOf(`\n${id} `) + 1
  if (start === 0) return undefined
  // The fourth field of mountinfo is the mount's root, such as `net:[4026531840]`.
  return kindOfName(mounts.slice(start, mounts.indexOf('\n', start)).split(' ')[3] ?? '')
}

function kindOfName(name: string): string | undefined {
  return /^(\w+):\[\d+\]$/.exec(name)?.[1]
}
