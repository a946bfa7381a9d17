import { type Installer, type InstallerOptions, installer } from '@cni/installer'
import { dropPageCache } from '@cni/netns/sys'
import { messageOf } from '@cni/types'
import type { AgentConfig } from './config/agent-config.ts'
import { type ConfigSource, changedVariables, loadConfig, watchConfigDir } from './config/source.ts'
import { installObserver } from './install-events.ts'
import { keptLines } from './kept-plugin.ts'
import type { AgentLog } from './log/agent-log.ts'
import { throttledLog } from './log/throttled-log.ts'
import { decideStop } from './on-cluster/decide-stop.ts'
import { removePluginToken } from './on-cluster/plugin-token.ts'
import type { Readiness } from './serve/health.ts'
import { metricsRegistry } from './serve/metrics.ts'
import { type AgentServices, allServices } from './services/all-services.ts'
import type { ScopedLog } from './shared/deps.ts'
import type { EndReason, Service } from './shared/service.ts'
import { whenAborted } from './shared/when-aborted.ts'

/** Deadline in milliseconds for an uninstall to find pods that still need the plugin. */
const SEARCH_MS = 5000

/** Options of {@link runAgent}, which runs the node agent. */
export interface AgentOptions {
  readonly source: ConfigSource
  readonly log: AgentLog
  /** AbortSignal that stops the agent. The agent uninstalls the plugin if the DaemonSet is gone. */
  readonly signal: AbortSignal
  /** Registers a listener for SIGHUP. On SIGHUP, the agent reloads its configuration. */
  readonly onHangup: (listener: () => void) => void
  /** Extends the usual deadline for stopping the agent by `ms` milliseconds. */
  readonly needTime: (ms: number) => void
}

/**
 * Runs the agent until the AbortSignal `signal` aborts.
 *
 * @throws if the agent cannot start, for example for an invalid configuration or a busy health port. An agent that
 * cannot start installs nothing.
 */
export async function runAgent({ source, log, signal, onHangup, needTime }: AgentOptions): Promise<void> {
  let config = loadConfig(source)
  log.configure(config.log)
  const own = log.scope('cni-agent')
  const metrics = metricsRegistry()
  const errors = metrics.counter(
    'istio_cni_agent_errors_total',
    'Errors of the agent other than install failures, by part',
    ['part'],
  )
  const logAndCount = installObserver(own, metrics)
  /** True while a newer agent on the node does the work and this agent only waits. */
  let isStandby = false
  const observe: NonNullable<InstallerOptions['observe']> = (event) => {
    logAndCount(event)
    if (!('artefact' in event) || event.artefact !== 'claim') return
    isStandby = event.type === 'not-ready' && onNode.status().artefacts.some(({ state }) => state === 'waiting')
    reloading = reloading.then(() => updateAll(services.needClaim, config, own))
  }
  const onNode = installer({ ...config.install, observe, uncache: dropPageCache })
  const readiness = (): Readiness => readinessOf(onNode, services)
  const services = allServices({
    log,
    own,
    metrics,
    errors,
    readiness,
    isStandby: () => isStandby,
    isInstalled: () => onNode.status().ready,
  })
  announce(own, config)
  try {
    for (const service of services.all) await service.update(config)
  } catch (error) {
    await closeAll(services.all, 'exchanged', own)
    throw error
  }
  await services.beforeInstall(signal)
  let reloading = Promise.resolve()
  const installing = onNode.run({ signal })

  // The agent reads its settings every ten seconds, but rarely logs an unchanged error again.
  const refusals = throttledLog(own, 'the configuration is valid again', { level: 'error' })
  const reload = async (bySignal: boolean): Promise<void> => {
    if (signal.aborted) return
    let next: AgentConfig
    try {
      next = loadConfig(source)
      const isSame = JSON.stringify(next.install) === JSON.stringify(config.install)
      if (!isSame) onNode.reconfigure({ ...next.install, observe, uncache: dropPageCache })
      refusals.worked()
    } catch (error) {
      errors.inc({ part: 'configuration' })
      refusals.failed(`the new configuration is invalid, the former one stays in force: ${messageOf(error)}`)
      return
    }
    const names = changedVariables(config.values, next.values)
    if (names.length === 0) {
      // Logs every reload after SIGHUP, because the user expects a log line.
      if (bySignal) own.info('the configuration was reloaded: nothing changed')
      return
    }
    config = next
    log.configure(next.log)
    own.info(`the configuration changed: ${names.join(', ')}`)
    announce(own, next)
    await updateAll(services.all, next, own)
  }
  const reloadLater = (bySignal: boolean): void => {
    reloading = reloading.then(() => reload(bySignal))
  }
  onHangup(() => reloadLater(true))
  if (source.configDir !== undefined) watchConfigDir(source.configDir, () => reloadLater(false), { signal })

  await whenAborted(signal)
  const why = await decideStop(config, { log: own, needTime })
  await installing
  if (why === 'removed') {
    needTime(SEARCH_MS)
    await uninstallPlugin(onNode, config, own)
  }
  await closeAll(services.all, why, own)
}

function readinessOf(installer: Installer, services: AgentServices): Readiness {
  const { ready, reason, artefacts } = installer.status()
  const reasons = artefacts.flatMap((one) =>
    one.state === 'ok' || one.state === 'skipped' ? [] : [`${one.artefact}: ${one.reason ?? one.path}`],
  )
  if (reasons.length === 0 && !ready) reasons.push(reason ?? 'the first installation is not complete')
  // Puts the problems of services such as ambient mode first, because these problems may cause the installation's
  // problems.
  reasons.unshift(...services.problems())
  return { ready: reasons.length === 0, reasons }
}

function announce(log: ScopedLog, { values, warnings, ambient, repair, install }: AgentConfig): void {
  log.info('keeping istio-cni installed', {
    node: values.kubernetesNodeName || values.nodeName || undefined,
    netDir: install.netDir,
    server: install.kubeconfig?.server,
    repair: repair === undefined ? 'off' : repair.repairPods ? 'repair' : repair.deletePods ? 'delete' : 'label',
    ambient: ambient === undefined ? 'off' : 'on',
  })
  for (const warning of warnings) log.warn(warning)
}

async function updateAll(
  services: readonly Service<AgentConfig>[],
  config: AgentConfig,
  log: ScopedLog,
): Promise<void> {
  for (const service of services) {
    await service
      .update(config)
      .catch((error) => log.error(`cannot apply the new setting, the former one stays in force: ${messageOf(error)}`))
  }
}

async function uninstallPlugin(installer: Installer, { pluginToken }: AgentConfig, log: ScopedLog): Promise<void> {
  const report = await installer.uninstall()
  const { changes, errors, left } = report
  if (left !== undefined) log.info(`nothing is removed from this node: ${left}`)
  for (const { action, path } of changes) log.info(`clean-up: ${action} ${path}`)
  for (const line of keptLines(report)) log.info(`clean-up: ${line}`)
  for (const error of errors) log.error(`clean-up: ${error.message}`)
  if (left !== undefined || errors.length > 0 || pluginToken === undefined) return
  try {
    removePluginToken(pluginToken)
  } catch (error) {
    log.error(`clean-up: ${messageOf(error)}`)
  }
}

async function closeAll(services: readonly Service<AgentConfig>[], why: EndReason, log: ScopedLog): Promise<void> {
  for (const service of services) await service.close(why).catch((error) => log.error(`stopping: ${messageOf(error)}`))
}
