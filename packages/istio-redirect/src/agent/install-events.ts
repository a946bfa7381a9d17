import type { Health, InstallEvent, InstallerOptions, RuntimeReading } from '@cni/installer'
import type { Metrics, ScopedLog } from './part/services.ts'

const FAILURES: Readonly<Record<Health['artefact'], string>> = {
  claim: 'CLAIM_NODE_FAILURE',
  binary: 'COPY_BINARIES_FAILURE',
  kubeconfig: 'CREATE_KUBECONFIG_FAILURE',
  conflist: 'CREATE_CNI_CONFIG_FAILURE',
}

/** Tells what the installer does to the log and to the metrics, under the original's names where it has them. */
export function installObserver(log: ScopedLog, metrics: Metrics): NonNullable<InstallerOptions['observe']> {
  const installs = metrics.counter(
    'istio_cni_installs_total',
    'Total number of CNI plugins installed by the Istio CNI installer',
    ['result'],
  )
  const ready = metrics.gauge('istio_cni_install_ready', 'Whether the CNI plugin installation is ready or not')
  const heals = metrics.counter('istio_cni_heals_total', 'Files put right after they had been in order', ['artefact'])
  const withdrawn = metrics.counter('istio_cni_withdrawals_total', 'Times the plugin was taken out of the network')
  ready.set(0)
  return (event) => {
    say(log, event)
    switch (event.type) {
      case 'ready':
        installs.inc({ result: 'SUCCESS' })
        ready.set(1)
        break
      case 'not-ready':
        ready.set(0)
        break
      case 'failed':
        installs.inc({ result: FAILURES[event.artefact] })
        break
      case 'withdrawn':
        withdrawn.inc()
        break
      case 'changed':
        if (!event.heal) break
        heals.inc({ artefact: event.artefact })
        installs.inc({ result: 'SUCCESS' })
        break
      default:
        break
    }
  }
}

function say(log: ScopedLog, event: InstallEvent): void {
  switch (event.type) {
    case 'changed': {
      const { action, path, reason, heal, ms } = event
      log.info(`${heal ? 'healed' : DONE[action]} ${path}`, { action, reason, ms: tenths(ms) })
      break
    }
    case 'ready':
      log.info(`the plugin is installed${event.primary === undefined ? '' : ` in ${event.primary}`}`, {
        ms: tenths(event.ms),
      })
      break
    case 'not-ready':
      log.warn(`not ready: ${event.reason}`)
      break
    case 'failed': {
      const { artefact, attempt, retryMs } = event
      log.error(event.error.message, { artefact, attempt, retryMs: Math.round(retryMs) })
      break
    }
    case 'adopted':
      log.info(`the primary network is ${event.primary}`, { former: event.former })
      break
    case 'preempted':
      log.warn(`runtimes use ${event.by}, but the plugin is in ${event.primary}: ${event.hint}`)
      break
    case 'contended':
      log.warn(`something keeps changing ${event.path}: ${event.hint}`, { rewrites: event.rewrites })
      break
    case 'withdrawn':
      log.error(`the plugin was taken out of ${event.path} until it works again: ${event.reason}`)
      break
    case 'skipped':
      if (event.more === undefined) log.warn(`no runtime can load ${event.path}: ${event.reason}`)
      else log.warn(`no runtime can load ${event.more} more files of ${event.path}`)
      break
    case 'runtimes':
      sayRuntimes(log, event.readings, event.verdict)
      break
  }
}

/** A verdict of `fail` makes the installation not ready, which is logged with the same sentences. */
function sayRuntimes(log: ScopedLog, readings: readonly RuntimeReading[], verdict: 'ok' | 'warn' | 'fail'): void {
  if (verdict === 'fail') return
  for (const { runs, text, next } of readings) {
    if (runs === 'yes') log.info(text)
    else log.warn(`${text}: ${next ?? runs}`)
  }
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10

const DONE = { create: 'wrote', replace: 'wrote', chmod: 'changed', convert: 'converted', remove: 'removed' } as const
