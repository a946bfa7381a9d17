import { setTimeout as delay } from 'node:timers/promises'
import type { ApiServer, Grant, StoredPod } from '@cni/kube/testing'
import type { ListWatchOptions } from '../../../kube/src/watch/list-watch-options.ts'
import { podWatches } from '../../src/agent/pods/pod-watches.ts'
import { type RepairOverrides, startRepair } from '../../src/agent/repair/start-repair.ts'
import type { RepairConfig } from '../../src/agent/shared/deps.ts'
import { repairGrants } from '../../src/testing/grants.ts'
import { meshPod, type PodOptions } from '../../src/testing/pods.ts'
import { recordingLog } from '../stage/log.ts'
import { onNode } from '../stage/pods.ts'
import { stage } from '../stage/stage.ts'
import { repairDefaults } from './repair-defaults.ts'

/** Running repair controller for tests, with its API server and its log messages. */
export type RepairFixture = Awaited<ReturnType<typeof repairFixture>>

/** Options of the repair controller and its API server in a test. */
export interface RepairFixtureOptions extends RepairOverrides {
  readonly config?: Partial<RepairConfig>
  readonly pods?: readonly StoredPod[]
  readonly grants?: readonly Grant[]
  readonly prepare?: (api: ApiServer) => void
  readonly watching?: Pick<ListWatchOptions, 'silenceMs'>
}

/** Creates a pod on node `n1` whose init container `istio-validation` has ended with `exitCode`. */
export function validatedPod(exitCode: number, options: PodOptions = {}, more: object = {}): StoredPod {
  const state = { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } }
  const initContainerStatuses = [{ name: 'istio-validation', state, lastState: {} }]
  return { ...onNode(meshPod(options)), status: { phase: 'Pending', initContainerStatuses, ...more } }
}

/** Starts a repair controller against an API server in the test's process. */
export function repairFixture(options: RepairFixtureOptions = {}) {
  const config = { ...repairDefaults, ...options.config }
  const mode = config.repairPods ? 'repair' : config.deletePods ? 'delete' : 'label'
  const grants = options.grants ?? repairGrants[mode]
  return stage({ api: { pods: options.pods ?? [], grants } }, ({ api, account, stack }) => {
    options.prepare?.(api)
    const log: string[] = []
    const counters = new Map<string, number>()
    /** Pauses between the repair controller's attempts. The test records a pause instead of waiting. */
    const pauses: number[] = []
    const stop = new AbortController()
    const done = startRepair(
      {
        config,
        api: account,
        log: recordingLog(log),
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
    const end = async () => {
      stop.abort()
      await done
    }
    stack.defer(end)
    const count = (name: string, labels: object): number => counters.get(`${name}${JSON.stringify(labels)}`) ?? 0
    return {
      api,
      tokenFile: account.tokenFile,
      log,
      pauses,
      /** Counts the pods that the repair controller has handled. `what` is `type/result`, such as `repair/success`. */
      pods(what: string) {
        const [type, result] = what.split('/')
        return count('istio_cni_repair_pods_repaired_total', { type, result })
      },
      errors: (type: string) => count('istio_cni_repair_errors_total', { type }),
      /** Stops the repair controller. Resolves when it has ended. */
      stop: end,
    }
  })
}
