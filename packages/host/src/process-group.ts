const groups = new Set<number>()
let watching = false

/** Registers a group to be killed when this process exits. */
export function remember(leader: number): void {
  groups.add(leader)
  if (watching) return
  watching = true
  process.once('exit', () => {
    for (const group of groups) signalGroup(group, 'SIGKILL')
  })
}

/** Removes a group that has ended by itself. */
export function forget(leader: number): void {
  groups.delete(leader)
}

/** Signals every process of a group. A group that is gone, or that belongs to another user, is not an error. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // ESRCH: all processes have ended. EPERM: only processes of another user are left.
  }
}
