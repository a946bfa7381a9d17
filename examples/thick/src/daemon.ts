import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { attachmentStore } from '@cni/skel'
import { serveDaemon } from '@cni/skel/daemon'
import { answers } from './answers.ts'
import { whoIs } from './plugin.ts'
import { attachment, registry } from './registry.ts'
import { socketIn } from './shim.ts'

/** Options of a daemon. */
export interface WhoIsOptions {
  /** Folder of its sockets and, in `attachments`, of its persistent state. */
  readonly folder: string
  /** Called with each line of the daemon's log. */
  readonly stderr?: (line: string) => void
}

/** A running daemon. */
export interface WhoIs extends AsyncDisposable {
  /** Stops the daemon after the current calls. Never rejects. */
  stop(): Promise<void>
}

/** Starts the daemon: calls of shims at `cni.sock`, queries at `ask.sock`. */
export async function startWhoIs({ folder, stderr }: WhoIsOptions): Promise<WhoIs> {
  const known = registry()
  const stateFolder = join(folder, 'attachments')
  const daemon = await serveDaemon(whoIs(known, stateFolder), {
    socket: socketIn(folder),
    ready: false,
    ...(stderr && { stderr }),
  })
  // Reads the state synchronously, before the first call can arrive.
  const { stored, unreadable } = attachmentStore({ folder: stateFolder, schema: attachment }).list()
  for (const { key, state } of stored) known.put(key, state)
  for (const error of unreadable) stderr?.(`${error.message}\n`)

  const ask = join(folder, 'ask.sock')
  // Removes the socket that a killed daemon has left. If another daemon runs, serveDaemon has already failed.
  rmSync(ask, { force: true })
  const server = answers(known)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(ask, resolve))
  daemon.setReady(true)

  const stop = async (): Promise<void> => {
    await daemon.stop()
    server.close()
    server.closeAllConnections()
  }
  return { stop, [Symbol.asyncDispose]: stop }
}
