const groups = new Set<number>()
let watching = false

/** From now on the group is killed when this process exits. */
export function remember(leader: number): void {
  groups.add(leader)
  if (watching) return
  watching = true
  process.once('exit', () => {
    for (const group of groups) signalGroup(group, 'SIGKILL')
  })
}

/** The group has ended by itself. */
export function forget(leader: number): void {
  groups.delete(leader)
}

/** Signals every process of the group; a group that is gone, or not ours any more, is no error. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // ESRCH: all ended. EPERM: only processes of another user are left.
  }
}
