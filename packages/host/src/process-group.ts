const groups = new Set<number>()
let watching = false

/** Registers a process group. All registered groups are killed when this process exits. */
export function remember(leader: number): void {
  groups.add(leader)
  if (watching) return
  watching = true
  process.once('exit', () => {
    for (const group of groups) signalGroup(group, 'SIGKILL')
  })
}

/** Unregisters a process group whose processes have ended. The exit of this process then does not kill the group. */
export function forget(leader: number): void {
  groups.delete(leader)
}

/** Sends a signal to a process group, which may have ended already. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // Errors of `kill`. ESRCH: all processes of the group have ended. EPERM: only processes of another user are left.
  }
}
