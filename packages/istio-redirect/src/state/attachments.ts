import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isReadError, readRegularFile, writeFileAtomic } from '@cni/host'
import { cniErrorKey, ErrorCode, errnoOf, messageOf } from '@cni/types'
import { type AttachmentKey, type AttachmentRecord, type NetnsIdentity, parseRecord } from './attachment-record.ts'
import { StateError } from './state-error.ts'

/** The state files of one node. */
export interface Attachments {
  readonly folder: string
  /** What ADD recorded; `undefined` when it recorded nothing. Throws `StateError` for a file that cannot be read. */
  read(key: AttachmentKey): AttachmentRecord | undefined
  /** What was recorded about a namespace; files nobody can read are passed over. */
  findByNetns(netns: NetnsIdentity): AttachmentRecord | undefined
  /** Throws `StateError` when there is no room, or no right to write. */
  write(attachment: AttachmentRecord): void
  /** Whether there was something to forget. What a killed call left half written goes as well. Throws `StateError`. */
  forget(key: AttachmentKey): boolean
  /**
   * Forgets the attachments of a network that are not among these; files nobody can read are left alone. What calls that
   * were killed left half written goes as well, an hour later. Throws `StateError`, after the others, for a file that
   * cannot be removed.
   */
  forgetOthers(network: string, valid: readonly Pick<AttachmentKey, 'containerID' | 'ifName'>[]): Forgotten
}

/** What {@link Attachments.forgetOthers} found. */
export interface Forgotten {
  readonly forgotten: readonly AttachmentKey[]
  readonly unreadable: readonly StateError[]
}

/**
 * The state files below a run directory. Files are named by a digest, because container ids have no length limit and
 * network names may differ in case only.
 *
 * @example
 * attachmentsIn('/var/run/istio-cni').read({ network: 'pods', containerID: 'abc', ifName: 'eth0' })
 */
export function attachmentsIn(runDir: string): Attachments {
  const folder = join(runDir, 'attachments')
  const pathOf = (key: AttachmentKey): string => join(folder, fileName(key))
  const forget = (key: AttachmentKey): boolean => {
    const names = listIfThere(folder).filter((name) => (halfWritten.exec(name)?.[1] ?? name) === fileName(key))
    for (const name of names) remove(join(folder, name))
    return names.includes(fileName(key))
  }
  return {
    folder,
    forget,
    read(key) {
      const path = pathOf(key)
      const text = readIfThere(path)
      if (text === undefined) return undefined
      const found = parseRecord(path, text)
      if (fileName(found) !== fileName(key)) throw new StateError(path, 'it describes another attachment')
      return found
    },
    findByNetns({ dev, ino }) {
      for (const name of listIfThere(folder).filter(isStateFile)) {
        const found = readIfSane(join(folder, name))
        if (found?.netns.dev === dev && found.netns.ino === ino) return found
      }
      return undefined
    },
    write(attachment) {
      const path = pathOf(attachment)
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileAtomic(path, `${JSON.stringify(attachment)}\n`, { mode: 0o600 })
      } catch (cause) {
        throw failed(path, 'written', cause)
      }
    },
    forgetOthers(network, valid) {
      const keep = new Set(valid.map(({ containerID, ifName }) => fileName({ network, containerID, ifName })))
      const forgotten: AttachmentKey[] = []
      const unreadable: StateError[] = []
      let failed: StateError | undefined
      for (const name of listIfThere(folder).filter((file) => isStateFile(file) && !keep.has(file))) {
        try {
          const text = readIfThere(join(folder, name))
          const found = text === undefined ? undefined : parseRecord(join(folder, name), text)
          if (found?.network === network && forget(found)) forgotten.push(found)
        } catch (error) {
          if (!(error instanceof StateError)) throw error
          if (error[cniErrorKey].code === ErrorCode.ioFailure) failed ??= error
          else unreadable.push(error)
        }
      }
      const left = listIfThere(folder).filter((name) => halfWritten.test(name) && isOld(join(folder, name)))
      for (const name of left) remove(join(folder, name))
      if (failed !== undefined) throw failed
      return { forgotten, unreadable }
    },
  }
}

const fileName = ({ network, containerID, ifName }: AttachmentKey): string => {
  return `${sha256(`${network}\0${containerID}\0${ifName}`).slice(0, 32)}.json`
}

const isStateFile = (name: string): boolean => /^[0-9a-f]{32}\.json$/.test(name)

/** What `writeFileAtomic` leaves of a state file when its process is killed. */
const halfWritten = /^\.([0-9a-f]{32}\.json)\.\w+\.tmp$/

/** Older than any call may become: nobody is writing it now. */
const isOld = (path: string): boolean =>
  Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN) > 3_600_000

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')

/** The annotations of a pod, which fill most of it, are limited to 256 KiB. */
const maxBytes = 4 * 1024 * 1024

function readIfThere(path: string): string | undefined {
  try {
    return readRegularFile(path, maxBytes)
  } catch (error) {
    if (isMissing(error)) return undefined
    if (isReadError(error)) throw new StateError(path, error.message, { cause: error })
    throw failed(path, 'read', error)
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (cause) {
    throw failed(path, 'removed', cause)
  }
}

function failed(path: string, what: 'read' | 'written' | 'removed', cause: unknown): StateError {
  return new StateError(path, `it cannot be ${what}: ${messageOf(cause)}`, { code: ErrorCode.ioFailure, cause })
}

function readIfSane(path: string): AttachmentRecord | undefined {
  try {
    const text = readIfThere(path)
    return text === undefined ? undefined : parseRecord(path, text)
  } catch (error) {
    if (error instanceof StateError) return undefined
    throw error
  }
}

function listIfThere(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw failed(folder, 'read', error)
  }
}

/** The digest of a text, in hexadecimal. On bun by its own hasher: to load `node:crypto` there takes 2 ms. */
function sha256(text: string): string {
  if (process.versions.bun === undefined) {
    return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex')
  }
  // foreign API without types: the parse boundary
  const { Bun } = globalThis as unknown as {
    Bun: { CryptoHasher: { hash(name: string, text: string, as: 'hex'): string } }
  }
  return Bun.CryptoHasher.hash('sha256', text, 'hex')
}
