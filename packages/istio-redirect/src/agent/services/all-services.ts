import { messageOf } from '@cni/types'
import type { AgentConfig } from '../config/agent-config.ts'
import type { AgentLog } from '../log/agent-log.ts'
import { throttledLog } from '../log/throttled-log.ts'
import { podWatches } from '../pods/pod-watches.ts'
import { healthServer, type Readiness } from '../serve/health.ts'
import { logServer } from '../serve/log-server.ts'
import { type MetricsRegistry, metricsServer } from '../serve/metrics.ts'
import { servingMetrics } from '../serve/serving-metrics.ts'
import { listen, portOf, shut } from '../server/listen.ts'
import { listenWithRetry } from '../server/listen-with-retry.ts'
import { type PersistentSocket, persistentSocket } from '../server/persistent-socket.ts'
import type { Counter, ScopedLog } from '../shared/deps.ts'
import { serverReach } from '../shared/server-reach.ts'
import { agentService, type Service } from '../shared/service.ts'
import { ambientService } from './ambient-service.ts'
import { criService } from './cri-service.ts'
import { idleMemoryService } from './idle-memory-service.ts'
import { ownEventsService } from './own-events-service.ts'
import { repairService } from './repair-service.ts'
import { servingService } from './serving-service.ts'
import { tokenService } from './token-service.ts'
import { upgradeService } from './upgrade-service.ts'

/** Dependencies of the agent's services, such as ambient mode and repair. */
export interface AgentDeps {
  readonly log: AgentLog
  /** Log of the agent itself, in the scope `cni-agent`. */
  readonly own: ScopedLog
  readonly metrics: MetricsRegistry
  /** Counts the errors of the agent's services. */
  readonly errors: Counter
  readonly readiness: () => Readiness
  /** True if a newer agent on the node has taken over the work. */
  readonly isStandby: () => boolean
  /** True if the plugin's installation is complete. */
  readonly isInstalled: () => boolean
}

/** All services of the agent beside the installer, such as ambient mode and repair. */
export interface AgentServices {
  readonly all: readonly Service<AgentConfig>[]
  /** Services that stop while a newer agent on the node does their work. */
  readonly needClaim: readonly Service<AgentConfig>[]
  /** Waits a limited time for the plugin's token, which the installation needs. */
  readonly beforeInstall: (signal: AbortSignal) => Promise<void>
  /** Lists the problems of all services of the agent, one sentence each. */
  problems(): string[]
}

/** Creates the agent's services without starting them. */
export function allServices({
  log,
  own,
  metrics,
  errors,
  readiness,
  isStandby,
  isInstalled,
}: AgentDeps): AgentServices {
  let logSocket: PersistentSocket | undefined
  const early = metrics.counter(
    'istio_cni_agent_connections_closed_total',
    'Connections closed early, by server and reason: crowded, late or long',
    ['server', 'reason'],
  )
  const lines = metrics.counter(
    'istio_cni_agent_log_lines_refused_total',
    'Log lines of the plugin that were not printed, and invalid requests, by reason',
    ['reason'],
  )
  const refused = (reason: string): void => lines.inc({ reason })
  const closedOn = (server: string, what: string): ((reason: string) => void) => {
    const throttled = throttledLog(own, '')
    return (reason) => {
      early.inc({ server, reason })
      if (reason === 'crowded') throttled.failed(`${what}: too many waiting connections, closing the oldest`)
    }
  }
  const metricsPort = agentService<AgentConfig>(
    ({ monitoringPort }) => monitoringPort,
    async ({ monitoringPort: port }) => {
      if (port <= 0) return async () => {}
      const failed = (): void => errors.inc({ part: 'metrics' })
      const closed = closedOn('metrics', `metrics on port ${port}`)
      return listenWithRetry(port, {
        what: 'metrics',
        create: () => metricsServer(metrics, { closed }),
        log: own,
        failed,
      })
    },
  )
  const logs = agentService<AgentConfig>(
    (config) => (isStandby() ? undefined : config.logSocket),
    async ({ logSocket: path }) => {
      logSocket = undefined
      if (isStandby()) return async () => {}
      const failed = (): void => errors.inc({ part: 'log_socket' })
      const closed = closedOn('log_socket', 'log socket')
      const socket = await persistentSocket(path, () => logServer(log, { closed, refused }), { log: own, failed })
      logSocket = socket
      return () => socket.close()
    },
  )
  const health = agentService<AgentConfig>(
    ({ healthPort }) => healthPort,
    async ({ healthPort: port }) => {
      const server = healthServer(readiness, { closed: closedOn('health', `health checks on port ${port}`) })
      await listen(server, port).catch((cause: unknown) => {
        const hint = 'another agent may be running on this node; HEALTH_PORT sets another port'
        const problem = messageOf(cause)
        throw new Error(`cannot serve health checks on port ${port}: ${problem} (${hint})`, { cause })
      })
      own.info(`health checks on port ${portOf(server)}`)
      return () => shut(server)
    },
  )
  const reach = serverReach()
  const watches = podWatches({ reach: reach.of('pods') })
  const unlessStandby = (service: Service<AgentConfig>): Service<AgentConfig> => ({
    update: (config) =>
      service.update(
        isStandby()
          ? { ...config, repair: undefined, serve: undefined, pluginToken: undefined, cri: undefined }
          : config,
      ),
    close: (why) => service.close(why),
  })
  const repair = unlessStandby(repairService({ log: own, metrics, watches }))
  const ambient = ambientService({
    log: own,
    metrics,
    watches,
    failed: () => errors.inc({ part: 'ambient' }),
    closed: closedOn('event_socket', 'event socket'),
    isStandby,
    reach,
  })
  const upgrade = upgradeService({ log: own, reach })
  const serve = unlessStandby(
    servingService({
      ambient: ambient.status,
      upgrade: upgrade.problem,
      enrol: ambient.enrol,
      watches,
      own,
      metrics: servingMetrics(metrics),
      failed: () => errors.inc({ part: 'serve_socket' }),
      closed: closedOn('serve_socket', 'serving socket'),
    }),
  )
  const tokens = tokenService({ log: own, metrics, failed: () => errors.inc({ part: 'plugin_token' }), reach })
  const token = unlessStandby(tokens)
  const runtime = criService({ log: own, metrics, isInstalled, failed: () => errors.inc({ part: 'cri' }) })
  const cri = unlessStandby(runtime)
  const events = ownEventsService({ log: own, readiness, reach, failed: () => errors.inc({ part: 'events' }) })
  return {
    all: [metricsPort, logs, health, token, ambient, repair, serve, cri, events, upgrade, idleMemoryService()],
    needClaim: [logs, token, ambient, repair, serve, cri],
    beforeInstall: tokens.firstToken,
    problems() {
      const problem = logSocket?.problem()
      return [
        ...(problem === undefined ? [] : [`log socket: ${problem}`]),
        ...tokens.problems(),
        ...ambient.problems(),
        ...runtime.problems(),
      ]
    },
  }
}
