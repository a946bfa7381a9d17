import { statSync } from 'node:fs'
import { VERSION } from '@cni/host/cli'
import type { Log } from '@cni/skel'
import { diskFolder } from '@cni/skel/state'
import { isObject, messageOf } from '@cni/types'
import { inFolder } from '../in-folder.ts'
import type { CaptureConfig } from '../redirect/config.ts'
import type { ServedBackend } from '../serve/protocol.ts'

/** What plugins that decide by themselves have made on this node. */
export interface BatchFiles {
  /** What was made by this very executable for the same; `undefined` where nobody knows. */
  read(config: CaptureConfig, backend: ServedBackend): Uint8Array | undefined
  write(config: CaptureConfig, backend: ServedBackend, batch: Uint8Array): void
  /** Forgets what the kernel has not taken. */
  remove(config: CaptureConfig, backend: ServedBackend): void
}

/**
 * Keeps what writes the rules of a namespace that has none, for the plugin's next call: most pods of a node are redirected
 * alike, and to make it takes a plugin without an agent a sixth of its time. There are few files, `nft-dual-redirect.json`
 * and the like, each with what was made last. They count as records do: nobody else may have written them. Whatever goes
 * wrong with them is logged, and the rules are made.
 *
 * @param maker - who makes the same of the same: {@link executableIdentity}
 */
export function batchFiles(runDir: string, maker: string, log: Pick<Log, 'debug'>): BatchFiles {
  const folder = diskFolder(inFolder(runDir, 'batches'))
  const attempt = <T>(what: string, step: () => T): T | undefined => {
    try {
      return step()
    } catch (error) {
      log.debug(`what was made before cannot be ${what}`, { reason: messageOf(error) })
      return undefined
    }
  }
  return {
    read: (config, backend) =>
      attempt('read', () => batchIn(folder.read(nameOf(config, backend)), keyOf(config, backend, maker))),
    write(config, backend, batch) {
      const text = JSON.stringify({ for: keyOf(config, backend, maker), batch: Buffer.from(batch).toString('base64') })
      if (text.length <= LARGEST) attempt('kept', () => folder.write(nameOf(config, backend), text))
    },
    remove(config, backend) {
      attempt('removed', () => folder.remove(nameOf(config, backend)))
    },
  }
}

/**
 * What tells this executable from any other, also from one of the same version; `undefined` for a program of Node, whose
 * rules are in a file that nobody knows of.
 */
export function executableIdentity(): string | undefined {
  if (process.versions.bun === undefined) return undefined
  try {
    const { dev, ino, size, mtimeMs } = statSync('/proc/self/exe')
    return [VERSION, dev, ino, size, mtimeMs].join(' ')
  } catch {
    // Somebody keeps it from us: a reason to make rules, and none to fail.
    return undefined
  }
}

// internal

/** Characters of the largest file: a batch has some 7 KiB, and what is large is seldom needed twice. */
const LARGEST = 64 * 1024

/** All that a batch depends on. */
const keyOf = (config: CaptureConfig, backend: ServedBackend, maker: string): string =>
  `${maker} ${backend} ${JSON.stringify(config)}`

function nameOf({ ipv6, interceptionMode }: CaptureConfig, backend: ServedBackend): string {
  return `${backend}-${ipv6 ? 'dual' : 'ipv4'}-${interceptionMode.toLowerCase()}.json`
}

function batchIn(text: string | undefined, key: string): Uint8Array | undefined {
  if (text === undefined) return undefined
  const document: unknown = JSON.parse(text)
  if (!isObject(document) || document.for !== key || typeof document.batch !== 'string') return undefined
  return Buffer.from(document.batch, 'base64')
}
