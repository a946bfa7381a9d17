import { createInstaller, type Installer } from '@cni/installer'
import type { AgentConfig } from './config/agent-config.ts'
import { type ConfigSource, changedVariables, loadConfig, watchConfigDir } from './config/source.ts'
import { installObserver } from './install-events.ts'
import type { AgentLog } from './log/agent-log.ts'
import { createPart, type Part } from './part.ts'
import { repairPart } from './repair-part.ts'
import { healthServer, type Readiness } from './serve/health.ts'
import { keepSocket } from './serve/kept-socket.ts'
import { listen, portOf, shut } from './serve/listen.ts'
import { logServer } from './serve/log-server.ts'
import { createMetrics, type MetricsRegistry, metricsServer } from './serve/metrics.ts'
import type { ScopedLog } from './services.ts'

/** What the agent is started with. */
export interface AgentOptions {
  readonly source: ConfigSource
  readonly log: AgentLog
  /** Ends the agent: it takes the plugin off the node and settles. */
  readonly signal: AbortSignal
  /** Told what to call when the configuration should be read again. */
  readonly onHangup: (reload: () => void) => void
}

/**
 * Runs the agent until the signal.
 *
 * @throws what keeps it from starting: its configuration, the health port, the log socket. Nothing is installed then.
 */
export async function runAgent({ source, log, signal, onHangup }: AgentOptions): Promise<void> {
  let config = loadConfig(source)
  log.configure(config.log)
  const own = log.scope('cni-agent')
  const metrics = createMetrics()
  const observe = installObserver(own, metrics)
  const installer = createInstaller({ ...config.install, observe })
  const parts = partsOf({ log, own, metrics, readiness: () => readinessOf(installer, config) })

  announce(own, config)
  try {
    for (const part of parts) await part.update(config)
  } catch (error) {
    await closeAll(parts, own)
    throw error
  }
  const installing = installer.run(signal)

  let reloading = Promise.resolve()
  let refused = ''
  const refuse = (error: unknown): void => {
    // said once: the folder is looked at by the clock, too
    if (refused !== messageOf(error)) own.error(`the new configuration is not used: ${messageOf(error)}`)
    refused = messageOf(error)
  }
  const reload = (asked: boolean) => {
    reloading = reloading.then(async () => {
      if (signal.aborted) return
      let next: AgentConfig
      let names: string[]
      try {
        next = loadConfig(source)
        names = changedVariables(config.values, next.values)
        const isSame = JSON.stringify(next.install) === JSON.stringify(config.install)
        if (!isSame) installer.reconfigure({ ...next.install, observe })
        refused = ''
      } catch (error) {
        refuse(error)
        return
      }
      if (names.length === 0) {
        if (asked) own.info('the configuration was read again: nothing changed')
        return
      }
      config = next
      log.configure(next.log)
      own.info(`the configuration changed: ${names.join(', ')}`)
      announce(own, next)
      for (const part of parts) {
        await part.update(next).catch((error) => own.error(`the former setting stays in force: ${messageOf(error)}`))
      }
    })
  }
  onHangup(() => reload(true))
  if (source.configDir !== undefined) watchConfigDir(source.configDir, () => reload(false), signal)

  await aborted(signal)
  own.info('stopping: the plugin is taken off this node')
  await installing
  await leave(installer, own)
  await closeAll(parts, own)
}

interface PartServices {
  readonly log: AgentLog
  readonly own: ScopedLog
  readonly metrics: MetricsRegistry
  readonly readiness: () => Readiness
}

function partsOf({ log, own, metrics, readiness }: PartServices): Part<AgentConfig>[] {
  const metricsPort = createPart<AgentConfig>(
    ({ monitoringPort }) => monitoringPort,
    async ({ monitoringPort: port }) => {
      if (port <= 0) return async () => {}
      const server = metricsServer(metrics)
      try {
        await listen(server, port)
      } catch (error) {
        own.error(`no metrics: cannot listen on port ${port}: ${messageOf(error)}`)
        return async () => {}
      }
      return () => shut(server)
    },
  )
  const logSocket = createPart<AgentConfig>(
    (config) => config.logSocket,
    async ({ logSocket: path }) => {
      const socket = await keepSocket(path, () => logServer(log), own).catch((cause: unknown) => {
        throw new Error(`cannot listen on the log socket ${path}: ${messageOf(cause)}`, { cause })
      })
      return () => socket.close()
    },
  )
  const health = createPart<AgentConfig>(
    ({ healthPort }) => healthPort,
    async ({ healthPort: port }) => {
      const server = healthServer(readiness)
      await listen(server, port).catch((cause: unknown) => {
        const hint = 'is another agent running on this node? HEALTH_PORT chooses another port'
        throw new Error(`cannot serve health checks on port ${port}: ${messageOf(cause)} (${hint})`, { cause })
      })
      own.info(`health checks on port ${portOf(server)}`)
      return () => shut(server)
    },
  )
  return [metricsPort, logSocket, health, repairPart(own, metrics)]
}

function readinessOf(installer: Installer, { ambient }: AgentConfig): Readiness {
  const { ready, reason, artefacts } = installer.status()
  const reasons = artefacts.flatMap((one) => (one.state === 'ok' ? [] : [`${one.artefact}: ${one.reason ?? one.path}`]))
  if (reasons.length === 0 && !ready) reasons.push(reason ?? 'the first pass is not over')
  if (ambient) reasons.push(NO_AMBIENT)
  return { ready: reasons.length === 0, reasons }
}

const NO_AMBIENT = 'ambient mode: this agent does not take ambient pods yet, so they fail to start'

function announce(log: ScopedLog, { values, warnings, ambient, repair, install }: AgentConfig): void {
  log.info('keeping istio-cni installed', {
    node: values.kubernetesNodeName || values.nodeName || undefined,
    netDir: install.netDir,
    server: install.kubeconfig?.server,
    repair: repair === undefined ? 'off' : repair.repairPods ? 'repair' : repair.deletePods ? 'delete' : 'label',
  })
  for (const warning of warnings) log.warn(warning)
  if (ambient) log.error(NO_AMBIENT)
}

async function leave(installer: Installer, log: ScopedLog): Promise<void> {
  const { changes, errors } = await installer.uninstall()
  for (const { action, path } of changes) log.info(`clean-up: ${action} ${path}`)
  for (const error of errors) log.error(`clean-up: ${error.message}`)
}

async function closeAll(parts: readonly Part<AgentConfig>[], log: ScopedLog): Promise<void> {
  for (const part of parts) await part.close().catch((error) => log.error(`stopping: ${messageOf(error)}`))
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
