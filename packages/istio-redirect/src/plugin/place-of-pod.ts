import type { AddContext } from '@cni/skel'
import { quoted } from '../decide/before-asking.ts'
import { captureOfPod, type KnownAddresses } from '../decide/captured-families.ts'
import { ordinaryPod } from '../decide/ordinary-pod.ts'
import { recordOf } from '../decide/record.ts'
import type { FoundRedirect } from '../decide/redirection.ts'
import type { CaptureConfig } from '../redirect/config.ts'
import type { PodInfo } from '../redirect/pod-info.ts'
import { redirectFor } from '../redirect/redirect.ts'
import { keptBatches, type MakeBatch } from '../serve/kept-batches.ts'
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
  #batches: Promise<MakeBatch> | undefined
  #known: Promise<KnownAddresses> | undefined

  constructor(c: AddContext<Conf>, settings: Settings) {
    this.#c = c
    this.#settings = settings
    this.#isNative = c.conf.native_nftables === true
    this.#tables = laterTables(c.netns, this.#isNative)
  }

  /** Loads code, looks at the namespace, and makes what the pod needs by its annotations, in steps of a few milliseconds. */
  async *preparations(annotations: PodInfo['annotations']): AsyncGenerator<void> {
    const make = await this.#make()
    yield
    const { fresh } = this.#tables.open()
    const known = await this.#addresses()
    if (!fresh || !this.#isRecorded) return
    yield
    const pod = { ...ordinaryPod, annotations }
    const log = { info() {}, warn() {} }
    const seeming = { pod, redirect: redirectFor(pod, { log() {}, env: this.#c.env }) }
    make(captureOfPod(seeming, known, log), this.#backend)
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

  get #backend() {
    return this.#isNative ? 'nftables' : 'nft'
  }

  get #isRecorded(): boolean {
    return this.#settings.runDir !== ''
  }

  /** `false` where that cannot be done, for whatever reason: then nothing has been changed. */
  async #writeFresh({ pod }: FoundRedirect, config: CaptureConfig): Promise<boolean> {
    const tables = this.#tables.open()
    if (!tables.fresh || !this.#isRecorded) return false
    const { netns } = this.#c
    const batch = (await this.#make())(config, this.#backend)
    if (batch === undefined) return false
    const committed = await commitFresh(this.#c, {
      ...{ runDir: this.#settings.runDir, tables, batch },
      ...{ pod: quoted(pod), mode: config.interceptionMode },
      record: { ...recordOf({ dev: Number(netns.dev), ino: Number(netns.ino) }, config), backend: this.#backend },
    })
    await committed?.finish()
    return committed !== undefined
  }

  #make(): Promise<MakeBatch> {
    this.#batches ??= this.#isNative
      ? import('../redirect/native/batch.ts').then(({ nativeBatch }) => keptBatches(nativeBatch))
      : import('../redirect/iptables-batch.ts').then(({ iptablesBatch }) => keptBatches(iptablesBatch))
    return this.#batches
  }

  #addresses(): Promise<KnownAddresses> {
    const { prevResult, ifName } = this.#c
    const addresses = prevResult?.ips?.map(({ address }) => address) ?? []
    this.#known ??= knownAddresses(this.#c, { addresses, ifName })
    return this.#known
  }
}
