import { eventLines, type Health, type InstallerOptions } from '@cni/installer'
import type { Metrics, ScopedLog } from './shared/deps.ts'

const FAILURES: Readonly<Record<Health['artefact'], string>> = {
  claim: 'CLAIM_NODE_FAILURE',
  binary: 'COPY_BINARIES_FAILURE',
  kubeconfig: 'CREATE_KUBECONFIG_FAILURE',
  conflist: 'CREATE_CNI_CONFIG_FAILURE',
}

/** Logs the installer's events and counts them in metrics. Metrics that exist in Istio have Istio's names. */
export function installObserver(log: ScopedLog, metrics: Metrics): NonNullable<InstallerOptions['observe']> {
  const installs = metrics.counter(
    'istio_cni_installs_total',
    'Total number of CNI plugins installed by the Istio CNI installer',
    ['result'],
  )
  const ready = metrics.gauge('istio_cni_install_ready', 'Whether the CNI plugin installation is ready or not')
  const heals = metrics.counter(
    'istio_cni_heals_total',
    'Installed files that were changed or removed and then repaired',
    ['artefact'],
  )
  const withdrawn = metrics.counter(
    'istio_cni_withdrawals_total',
    'Times the plugin was removed from the network configuration',
  )
  ready.set(0)
  return (event) => {
    for (const { level, text, fields } of eventLines(event)) log[level](text, fields)
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
