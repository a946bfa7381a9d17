import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { attachmentStore } from '@cni/skel'
import { serveDaemon } from '@cni/skel/daemon'
import { answers } from './answers.ts'
import { whoIs } from './plugin.ts'
import { attachment, registry } from './registry.ts'
import { socketIn } from './shim.ts'

/** Where a daemon keeps everything, and who hears of it. */
export interface WhoIsOptions {
  /** Its sockets and, in `attachments`, what outlives it. */
  readonly folder: string
  /** Gets each line of the log. */
  readonly stderr?: (line: string) => void
}

/** A daemon that runs. */
export interface WhoIs extends AsyncDisposable {
  /** Ends it when the calls in flight have ended. Never rejects. */
  stop(): Promise<void>
}

/** Starts the daemon: calls of shims at `cni.sock`, questions at `ask.sock`. */
export async function startWhoIs({ folder, stderr }: WhoIsOptions): Promise<WhoIs> {
  const known = registry()
  const stateFolder = join(folder, 'attachments')
  const daemon = await serveDaemon(whoIs(known, stateFolder), {
    socket: socketIn(folder),
    ready: false,
    ...(stderr && { stderr }),
  })
  // Before anything is awaited, so before the first call, DEL included, which is served at any time.
  const { stored, unreadable } = attachmentStore({ folder: stateFolder, schema: attachment }).list()
  for (const { key, state } of stored) known.put(key, state)
  for (const error of unreadable) stderr?.(`${error.message}\n`)

  const ask = join(folder, 'ask.sock')
  // A daemon that was killed has left it; one that lives has made serveDaemon fail.
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
