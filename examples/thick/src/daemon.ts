import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { attachmentStore } from '@cni/skel'
import { serveDaemon } from '@cni/skel/daemon'
import { answers } from './answers.ts'
import { whoIs } from './plugin.ts'
import { attachment, registry } from './registry.ts'
import { socketIn } from './shim.ts'

/** Options of {@link startWhoIs}. */
export interface WhoIsOptions {
  /** Folder of the daemon's sockets. Its subfolder `attachments` contains the daemon's persistent state. */
  readonly folder: string
  /** Function that receives each line of the daemon's log. */
  readonly stderr?: (line: string) => void
}

/** A running daemon of the plugin who-is. */
export interface WhoIs extends AsyncDisposable {
  /** Stops the daemon as soon as all running plugin calls have ended. Never rejects. */
  stop(): Promise<void>
}

/** Starts the who-is daemon. It accepts calls of shims at `cni.sock` and queries at `ask.sock`. */
export async function startWhoIs({ folder, stderr }: WhoIsOptions): Promise<WhoIs> {
  const known = registry()
  const stateFolder = join(folder, 'attachments')
  const daemon = await serveDaemon(whoIs(known, stateFolder), {
    socket: socketIn(folder),
    ready: false,
    ...(stderr && { stderr }),
  })
  // Reads the stored attachments synchronously, before the first plugin call can arrive.
  const { stored, unreadable } = attachmentStore({ folder: stateFolder, schema: attachment }).list()
  for (const { key, state } of stored) known.put(key, state)
  for (const error of unreadable) stderr?.(`${error.message}\n`)

  const ask = join(folder, 'ask.sock')
  // Only a killed daemon can have left the socket: serveDaemon does not start beside a running daemon.
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
