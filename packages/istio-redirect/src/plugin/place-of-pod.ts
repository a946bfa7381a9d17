import type { AddContext, UndoStep } from '@cni/skel'
import { captureOfPod, type KnownAddresses } from '../decide/captured-families.ts'
import { logRedirected, logWritten } from '../decide/fresh-log.ts'
import { freshSteps } from '../decide/fresh-record.ts'
import { ordinaryPod } from '../decide/ordinary-pod.ts'
import { recordOf } from '../decide/record.ts'
import type { FoundRedirect } from '../decide/redirection.ts'
import type { CaptureConfig } from '../redirect/config.ts'
import type { PodInfo } from '../redirect/pod-info.ts'
import { redirectFor } from '../redirect/redirect.ts'
import type { MakeBatch } from '../serve/kept-batches.ts'
import type { ServedBackend } from '../serve/protocol.ts'
import { attachmentKey } from '../state/attachment-of-call.ts'
import { commitFresh } from './commit-fresh.ts'
import type { Conf } from './conf.ts'
import { knownAddresses } from './known-addresses.ts'
import { type LaterTables, laterTables } from './open-tables.ts'
import type { Settings } from './settings.ts'

/**
 * The namespace of a pod whose rules the plugin makes by itself: written at once where there are none yet, as those of an
 * agent are, and otherwise step by step.
 */
export class PlaceOfPod implements Disposable {
  readonly #c: AddContext<Conf>
  readonly #settings: Settings
  readonly #isNative: boolean
  readonly #tables: LaterTables
  #made: { readonly key: string; readonly batch: Uint8Array | undefined } | undefined
  #known: Promise<KnownAddresses> | undefined

  constructor(c: AddContext<Conf>, settings: Settings) {
    this.#c = c
    this.#settings = settings
    this.#isNative = c.conf.native_nftables === true
    this.#tables = laterTables(c.netns, this.#isNative)
  }

  /** Looks at the namespace, loads code, and makes what the pod needs by its annotations, in steps of a few milliseconds. */
  async *preparations(annotations: PodInfo['annotations']): AsyncGenerator<void> {
    const { fresh } = this.#tables.open()
    const known = await this.#addresses()
    if (!fresh || !this.#isRecorded) return
    yield
    const pod = { ...ordinaryPod, annotations }
    const log = { info() {}, warn() {} }
    const seeming = { pod, redirect: redirectFor(pod, { log() {}, env: this.#c.env }) }
    const config = captureOfPod(seeming, known, log)
    if (this.#madeBefore(config) !== undefined) return
    const make = await makerOf(this.#backend)
    yield
    this.#keep(config, make(config, this.#backend))
  }

  async redirect(found: FoundRedirect): Promise<void> {
    const c = this.#c
    const config = captureOfPod(found, await this.#addresses(), c.log)
    if (await this.#writeFresh(found, config)) return
    const { programNamespace } = await import('./program-namespace.ts')
    await programNamespace(c, this.#settings, found, config)
  }

  [Symbol.dispose](): void {
    this.#tables[Symbol.dispose]()
  }

  // internal

  get #backend(): ServedBackend {
    return this.#isNative ? 'nftables' : 'nft'
  }

  get #isRecorded(): boolean {
    return this.#settings.runDir !== ''
  }

  /** `false` where that cannot be done, for whatever reason: then nothing has been changed. */
  async #writeFresh(found: FoundRedirect, config: CaptureConfig): Promise<boolean> {
    const tables = this.#tables.open()
    if (!tables.fresh || !this.#isRecorded) return false
    const batch = this.#madeBefore(config) ?? this.#keep(config, (await makerOf(this.#backend))(config, this.#backend))
    if (batch === undefined) return false
    const { netns, log } = this.#c
    const state = { ...recordOf({ dev: Number(netns.dev), ino: Number(netns.ino) }, config), backend: this.#backend }
    const steps = freshSteps(attachmentKey(this.#c), state, tables.generation)
    const { runDir } = this.#settings
    const place = { netns, runDir, tables, undo: (step: UndoStep) => this.#c.undo(step) }
    const committed = await commitFresh({ ...steps, backend: this.#backend, batch }, place)
    if (committed === undefined) return false
    const { ms } = committed
    // Rounded without `Math`, which bun makes when it is first named.
    logWritten(log, state, { ms: (ms + 0.5) | 0 })
    await committed.finish()
    logRedirected(log, found, state, { durationMs: ms })
    return true
  }

  /** What writes the rules, if it was made while the API server was asked. */
  #madeBefore(config: CaptureConfig): Uint8Array | undefined {
    return this.#made?.key === JSON.stringify(config) ? this.#made.batch : undefined
  }

  #keep(config: CaptureConfig, batch: Uint8Array | undefined): Uint8Array | undefined {
    this.#made = { key: JSON.stringify(config), batch }
    return batch
  }

  #addresses(): Promise<KnownAddresses> {
    const { prevResult, ifName } = this.#c
    const addresses = prevResult?.ips?.map(({ address }) => address) ?? []
    this.#known ??= knownAddresses(this.#c, { addresses, ifName })
    return this.#known
  }
}

/** Loads what makes the rules of a back end. */
async function makerOf(backend: ServedBackend): Promise<MakeBatch> {
  if (backend === 'nft') return (await import('../redirect/iptables-batch.ts')).iptablesBatch
  return (await import('../redirect/native/batch.ts')).nativeBatch
}
