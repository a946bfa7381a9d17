import { chmodSync, lstatSync, mkdirSync, renameSync, type Stats, statSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { errnoOf } from '@cni/types'
import { DaemonError } from './daemon-error.ts'

/** Socket file of a daemon, before and after it becomes visible at its path. */
export interface SocketFile {
  /** Temporary path at which the daemon listens before {@link SocketFile.publish}. */
  readonly hidden: string
  /** Moves the finished socket to its final path. Clients must never see the socket with other permissions. */
  publish(): void
  /** Removes the daemon's socket, unless another daemon has replaced it. */
  remove(): void
}

/** Maximum length of a socket path: the size of `sun_path` in `sockaddr_un`, without the final zero. */
const MAX_PATH = 107

/** Prepares the path of a daemon's socket. Rejects the path if a file other than a stale socket exists there. */
export async function claimSocket(path: string): Promise<SocketFile> {
  const hidden = join(dirname(path), `.${process.pid}.${Math.random().toString(36).slice(2, 6)}`)
  if (!isAbsolute(path) || basename(path) === '') throw refused('INVALID', path, 'expected an absolute path')
  if (Math.max(Buffer.byteLength(path), Buffer.byteLength(hidden)) > MAX_PATH) {
    throw refused('INVALID', path, `expected at most ${MAX_PATH} bytes`)
  }
  prepareFolder(dirname(path))
  const there = entryAt(path)
  if (there !== undefined && !there.isSocket()) {
    throw refused('NOT_A_SOCKET', path, 'there is something else, which is not replaced')
  }
  if (there !== undefined && (await answers(path))) throw refused('IN_USE', path, 'another daemon serves it')
  let own: Stats | undefined
  return {
    hidden,
    publish() {
      chmodSync(hidden, 0o600)
      own = lstatSync(hidden)
      renameSync(hidden, path)
    },
    remove() {
      const now = entryAt(path)
      if (now !== undefined && now.ino === own?.ino && now.dev === own.dev) unlinkSync(path)
    },
  }
}

function prepareFolder(folder: string): void {
  let stats: Stats
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    stats = statSync(folder)
  } catch (cause) {
    const code = errnoOf(cause) ?? 'unknown error'
    throw new DaemonError(code, `Cannot make the folder of the socket, "${folder}": ${code}`, folder, { cause })
  }
  // Rejects an insecure folder instead of changing its mode: other programs may share the folder, such as /run.
  if ((stats.mode & 0o022) === 0) return
  const mode = (stats.mode & 0o7777).toString(8)
  throw refused('INSECURE', folder, `others may write to this folder (mode ${mode}) and replace the socket`)
}

function entryAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** True if a daemon listens at the socket; false for a stale socket. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(path)
    connection.on('connect', () => {
      connection.destroy()
      resolve(true)
    })
    // Errors other than ECONNREFUSED and ENOENT mean that a daemon listens at the socket.
    connection.on('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(errnoOf(error) ?? '')))
  })
}

function refused(code: string, path: string, why: string): DaemonError {
  return new DaemonError(code, `Cannot serve at "${path}": ${why}`, path)
}
