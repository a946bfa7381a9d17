import type { AgentConfig } from './config/agent-config.ts'
import type { AgentLog } from './log/agent-log.ts'
import { createPart, type Part } from './part.ts'
import { repairPart } from './repair-part.ts'
import { healthServer, type Readiness } from './serve/health.ts'
import { keepPort } from './serve/kept-port.ts'
import { type KeptSocket, keepSocket } from './serve/kept-socket.ts'
import { listen, portOf, shut } from './serve/listen.ts'
import { logServer } from './serve/log-server.ts'
import { type MetricsRegistry, metricsServer } from './serve/metrics.ts'
import type { Counter, ScopedLog } from './services.ts'

/** What the parts share. */
export interface PartServices {
  readonly log: AgentLog
  /** The agent's own scope of it. */
  readonly own: ScopedLog
  readonly metrics: MetricsRegistry
  /** Counts what a part could not do. */
  readonly errors: Counter
  readonly readiness: () => Readiness
}

/** Everything the agent runs beside the installer, in the order of its start. */
export interface Parts {
  readonly all: readonly Part<AgentConfig>[]
  /** What is wrong with them, one sentence each. */
  problems(): string[]
}

/** Makes the parts; none is started. */
export function createParts({ log, own, metrics, errors, readiness }: PartServices): Parts {
  let logSocket: KeptSocket | undefined
  const metricsPort = createPart<AgentConfig>(
    ({ monitoringPort }) => monitoringPort,
    async ({ monitoringPort: port }) => {
      if (port <= 0) return async () => {}
      const failed = (): void => errors.inc({ part: 'metrics' })
      return keepPort(port, { what: 'metrics', create: () => metricsServer(metrics), log: own, failed })
    },
  )
  const logs = createPart<AgentConfig>(
    (config) => config.logSocket,
    async ({ logSocket: path }) => {
      const failed = (): void => errors.inc({ part: 'log_socket' })
      const socket = await keepSocket(path, () => logServer(log), { log: own, failed })
      logSocket = socket
      return () => socket.close()
    },
  )
  const health = createPart<AgentConfig>(
    ({ healthPort }) => healthPort,
    async ({ healthPort: port }) => {
      const server = healthServer(readiness)
      await listen(server, port).catch((cause: unknown) => {
        const hint = 'is another agent running on this node? HEALTH_PORT chooses another port'
        const problem = cause instanceof Error ? cause.message : String(cause)
        throw new Error(`cannot serve health checks on port ${port}: ${problem} (${hint})`, { cause })
      })
      own.info(`health checks on port ${portOf(server)}`)
      return () => shut(server)
    },
  )
  return {
    all: [metricsPort, logs, health, repairPart(own, metrics)],
    problems() {
      const problem = logSocket?.problem()
      return problem === undefined ? [] : [`log socket: ${problem}`]
    },
  }
}
