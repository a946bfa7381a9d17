import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import { type Attachment, type AttachmentKey, parseAttachment } from './attachment.ts'
import { StateError } from './state-error.ts'

/** The state files of one node. */
export interface Attachments {
  readonly folder: string
  /** What ADD recorded; `undefined` when it recorded nothing. Throws `StateError` for a file that cannot be read. */
  read(key: AttachmentKey): Attachment | undefined
  write(attachment: Attachment): void
  /** Whether there was something to forget. */
  forget(key: AttachmentKey): boolean
  /** Forgets the attachments of a network that are not among these; files nobody can read are left alone. */
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
    const existed = readIfThere(pathOf(key)) !== undefined
    rmSync(pathOf(key), { force: true })
    return existed
  }
  return {
    folder,
    forget,
    read(key) {
      const path = pathOf(key)
      const text = readIfThere(path)
      if (text === undefined) return undefined
      const found = parseAttachment(path, text)
      if (fileName(found) !== fileName(key)) throw new StateError(path, 'it describes another attachment')
      return found
    },
    write(attachment) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileAtomic(pathOf(attachment), `${JSON.stringify(attachment)}\n`, { mode: 0o600 })
    },
    forgetOthers(network, valid) {
      const keep = new Set(valid.map(({ containerID, ifName }) => fileName({ network, containerID, ifName })))
      const forgotten: AttachmentKey[] = []
      const unreadable: StateError[] = []
      for (const name of listIfThere(folder).filter((file) => isStateFile(file) && !keep.has(file))) {
        try {
          const text = readIfThere(join(folder, name))
          const found = text === undefined ? undefined : parseAttachment(join(folder, name), text)
          if (found?.network === network && forget(found)) forgotten.push(found)
        } catch (error) {
          if (!(error instanceof StateError)) throw error
          unreadable.push(error)
        }
      }
      return { forgotten, unreadable }
    },
  }
}

const fileName = ({ network, containerID, ifName }: AttachmentKey): string => {
  const digest = createHash('sha256').update(`${network}\0${containerID}\0${ifName}`).digest('hex')
  return `${digest.slice(0, 32)}.json`
}

const isStateFile = (name: string): boolean => /^[0-9a-f]{32}\.json$/.test(name)

const isMissing = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function listIfThere(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
