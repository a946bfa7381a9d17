import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readRegularFile, writeFileAtomic } from '@cni/host'
import { isKubeError, kubeClient, type RequestedToken, requestToken, serviceAccountAccess } from '@cni/kube'
import { errnoOf, messageOf, printable } from '@cni/types'
import { calmLog } from '../log/calm-log.ts'
import type { RequestReports } from '../part/server-reach.ts'
import type { ApiAccess, Gauge, PluginTokenConfig, ScopedLog } from '../part/services.ts'

/** What {@link keepPluginToken} works with. */
export interface PluginTokenServices {
  readonly config: PluginTokenConfig
  readonly api: ApiAccess
  readonly log: ScopedLog
  /** Seconds since 1970 at which the token expires. */
  readonly expiry: Gauge
  /** Called for every attempt that failed. */
  readonly failed: () => void
  /** Told of what becomes of the requests. */
  readonly reports?: RequestReports | undefined
  readonly signal: AbortSignal
  /** The shortest time between two requests. Default a second. */
  readonly pauseMs?: number
  /** For tests: a number from 0 to 1 that spreads the requests of all nodes. Default `Math.random`. */
  readonly random?: () => number
}

/** A token that is requested, renewed and kept in its file. */
export interface PluginToken {
  /** Settles when the first attempt is over, well or not. */
  readonly first: Promise<void>
  /** Settles after the signal. */
  readonly done: Promise<void>
  /** Why the plugin has no valid token. */
  problem(): string | undefined
}

/**
 * Keeps a token of the plugin's own account in its file. It is bound to no pod, so that it outlives the agent's, is valid
 * for an hour and replaced after 40 to 50 % of that, so that agents which started together do not renew together. Every
 * start requests a new one: that of the agent before stays until then.
 */
export function keepPluginToken(services: PluginTokenServices): PluginToken {
  const { config, log, expiry, failed, reports, signal, pauseMs = 1000, random = Math.random } = services
  const calm = calmLog(log, `tokens of service account ${config.account} are renewed again`)
  let held: MintedToken | undefined
  let problem: string | undefined
  let pause = pauseMs
  removeUnfinished(config)
  /** Returns when the next one is due. */
  const attempt = async (): Promise<number> => {
    try {
      held = await mint(services)
      keepFile(config.file, held.token)
      expiry.set(Math.round(held.expires / 1000))
      problem = undefined
      calm.worked()
      reports?.answered()
      pause = pauseMs
      return held.renewAt
    } catch (error) {
      const due = performance.now() + pause * (1 + random())
      if (signal.aborted) return due
      problem = problemOf(error, services)
      failed()
      calm.failed(problem)
      if (isKubeError(error)) reports?.failed(error)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
      return due
    }
  }
  const first = attempt()
  const run = async (): Promise<void> => {
    let due = await first
    while (!signal.aborted) {
      const ms = Math.min(Math.max(due - performance.now(), 0), LOOK_MS)
      // the signal ends the pause
      await delay(ms, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      if (performance.now() >= due) due = await attempt()
      else if (held !== undefined) keepQuietly(config.file, held.token)
    }
  }
  return {
    first: first.then(() => {}),
    done: run(),
    problem: () => (held === undefined || held.expires <= Date.now() ? problem : undefined),
  }
}

/** Removes the token; the kubeconfig that has it is the installer's. Returns the path if there was one. */
export function removePluginToken(config: PluginTokenConfig): string | undefined {
  const { file } = config
  removeUnfinished(config)
  try {
    unlinkSync(file)
    return file
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** How long a token is asked to be valid. */
const LIFE_SECONDS = 3600
/** A file that somebody removed or changed is put right after this time at the latest. */
const LOOK_MS = 10_000
const LONGEST_PAUSE_MS = 30_000

/** A token, and when another one is due. */
interface MintedToken extends RequestedToken {
  /** By our own clock that never goes back. */
  readonly renewAt: number
}

async function mint({
  config,
  api,
  signal,
  pauseMs = 1000,
  random = Math.random,
}: PluginTokenServices): Promise<MintedToken> {
  const client = kubeClient(serviceAccountAccess(api), { userAgent: 'istio-cni-node' })
  const asked = performance.now()
  const { namespace } = api
  const minted = await requestToken(client, { namespace, account: config.account, seconds: LIFE_SECONDS, signal })
  return { ...minted, renewAt: asked + Math.max(minted.lifeMs * (0.5 - random() / 10), pauseMs) }
}

function keepFile(path: string, token: string): void {
  try {
    if (readRegularFile(path, 1024 * 1024) === token) return
  } catch {
    // missing, or something else in its place: it is written
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileAtomic(path, token, { mode: 0o600 })
}

/** What fails here fails as well, and is told, when the kubeconfig is written beside it. */
function keepQuietly(path: string, token: string): void {
  try {
    keepFile(path, token)
  } catch {
    // the kubeconfig's step says so
  }
}

/** Removes the temporary files of agents that were killed while they wrote: each may hold a token. */
function removeUnfinished({ file }: PluginTokenConfig): void {
  const start = `.${basename(file)}.`
  try {
    for (const name of readdirSync(dirname(file))) {
      const isOne = name.startsWith(start) && /^[\da-z]+\.tmp$/.test(name.slice(start.length))
      if (isOne) unlinkSync(join(dirname(file), name))
    }
  } catch {
    // The folder is missing, or another agent removes the same file.
  }
}

function problemOf(error: unknown, { config, api }: PluginTokenServices): string {
  const what = `no token for service account ${config.account} in namespace ${printable(api.namespace)}`
  const hint =
    isKubeError(error) && error.status === 403
      ? '; the agent needs "create" on serviceaccounts/token of that name'
      : isKubeError(error) && error.status === 404
        ? '; does it exist?'
        : ''
  const said = isKubeError(error) ? error.said : undefined
  return `${what}: ${said ?? printable(messageOf(error))}${hint}`
}
