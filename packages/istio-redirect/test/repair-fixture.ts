import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ApiServer, type Grant, type StoredPod, startApiServer } from '@cni/kube/testing'
import type { ListWatchOptions } from '../../kube/src/watch/list-watch.ts'
import type { Labels, RepairConfig } from '../src/agent/part/services.ts'
import { podWatches } from '../src/agent/pods/pod-watches.ts'
import { type RepairSurroundings, startRepair } from '../src/agent/repair/start-repair.ts'
import { repairGrants } from '../src/testing/grants.ts'
import { meshPod, type PodOptions } from '../src/testing/pods.ts'

/** A running repair controller, its API server, and what it said. */
export interface RepairFixture extends AsyncDisposable {
  readonly api: ApiServer
  readonly folder: string
  readonly tokenFile: string
  /** `level message` */
  readonly log: readonly string[]
  /** By `name{label="value"}`. */
  readonly counters: ReadonlyMap<string, number>
  /** The pauses between tries, which are not waited for. */
  readonly pauses: readonly number[]
  /** `repair/success` and so on, of the pods. */
  pods(result: string): number
  errors(type: string): number
  /** Stops the controller and returns when it has ended. */
  stop(): Promise<void>
}

/** What a test may want to differ. */
export interface RepairFixtureOptions extends RepairSurroundings {
  readonly config?: Partial<RepairConfig>
  readonly pods?: readonly StoredPod[]
  readonly grants?: readonly Grant[]
  readonly server?: string
  readonly prepare?: (api: ApiServer) => void
  readonly watching?: Pick<ListWatchOptions, 'silenceMs'>
}

export const repairDefaults: RepairConfig = {
  repairPods: false,
  deletePods: false,
  labelPods: false,
  brokenPodLabelKey: 'cni.istio.io/uninitialized',
  brokenPodLabelValue: 'true',
  nodeName: 'n1',
  sidecarAnnotation: 'sidecar.istio.io/status',
  initContainerName: 'istio-validation',
  initContainerTerminationMessage: '',
  initContainerExitCode: 126,
  labelSelectors: '',
  fieldSelectors: '',
  nativeNftables: false,
  forceIptablesBinary: '',
  agentRunDir: '',
}

/** A pod on node `n1` whose validation has just ended with `exitCode`. */
export function validatedPod(exitCode: number, options: PodOptions = {}, more: object = {}): StoredPod {
  const pod = meshPod(options)
  const state = { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } }
  const initContainerStatuses = [{ name: 'istio-validation', state, lastState: {} }]
  return {
    ...pod,
    spec: { ...pod.spec, nodeName: 'n1' },
    status: { phase: 'Pending', initContainerStatuses, ...more },
  }
}

/** Starts a controller against an in-process API server. */
export async function repairFixture(options: RepairFixtureOptions = {}): Promise<RepairFixture> {
  const config = { ...repairDefaults, ...options.config }
  const mode = config.repairPods ? 'repair' : config.deletePods ? 'delete' : 'label'
  const folder = mkdtempSync(join(tmpdir(), 'istio-repair-'))
  const api = await startApiServer({ pods: options.pods ?? [], grants: options.grants ?? repairGrants[mode] })
  options.prepare?.(api)
  const tokenFile = join(folder, 'token')
  const caFile = join(folder, 'ca.crt')
  writeFileSync(tokenFile, `${api.token}\n`)
  writeFileSync(caFile, api.ca)

  const log: string[] = []
  const counters = new Map<string, number>()
  const pauses: number[] = []
  const stop = new AbortController()
  const at = (level: string) => (message: string, labels?: Labels) =>
    void log.push(`${level} ${message}${labels === undefined ? '' : ` ${JSON.stringify(labels)}`}`)
  const done = startRepair(
    {
      config,
      api: { server: options.server ?? api.url, tokenFile, caFile, namespace: 'istio-system' },
      log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
      metrics: {
        counter: (name) => ({
          inc(labels = {}, by = 1) {
            const key = `${name}${JSON.stringify(labels)}`
            counters.set(key, (counters.get(key) ?? 0) + by)
          },
        }),
        gauge: () => ({ set: () => {} }),
      },
      watches: podWatches({
        pause: (ms) => {
          pauses.push(ms)
          return delay(5)
        },
        ...options.watching,
      }),
      signal: stop.signal,
    },
    options,
  )
  const count = (name: string, labels: object): number => counters.get(`${name}${JSON.stringify(labels)}`) ?? 0
  return {
    api,
    folder,
    tokenFile,
    log,
    counters,
    pauses,
    pods(what) {
      const [type, result] = what.split('/')
      return count('istio_cni_repair_pods_repaired_total', { type, result })
    },
    errors: (type) => count('istio_cni_repair_errors_total', { type }),
    async stop() {
      stop.abort()
      await done
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
      await api.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
