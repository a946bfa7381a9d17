import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Health,
  type InstallerOptions,
  type InstallStatus,
  installer,
  judgeReadings,
  type RuntimeReading,
  readingsFor,
} from '@cni/installer'
import { parseConflist } from '@cni/types'
import type { Check } from './checks.ts'

/** How the installation is: its files, and what the runtimes do with the net folder. */
export interface InstallChecks {
  readonly checks: readonly Check[]
  readonly runtimes: readonly RuntimeReading[]
}

/** Binaries, kubeconfig and network configuration, as a dry run finds them. */
export async function checkInstall(install: InstallerOptions): Promise<InstallChecks> {
  const plan = await installer(install).plan()
  const { runtimes = [], runtimesAfter = [] } = plan
  const { runtime } = install
  return { checks: [...checkFiles(install, plan), ...checkRuntimes(runtimes, runtimesAfter, runtime)], runtimes }
}

/**
 * What each runtime does. A warning as long as another one may be the runtime of the node and does run the plugin. A next
 * step is for what is left once the agent has put its files in order.
 */
export function checkRuntimes(
  readings: readonly RuntimeReading[],
  after: readonly RuntimeReading[],
  runtime: RuntimeReading['runtime'] | undefined,
): Check[] {
  const verdict = judgeReadings(readings, runtime)
  return readingsFor(readings, runtime).map((reading) => ({
    name: 'network',
    state: reading.runs === 'yes' ? 'ok' : verdict === 'fail' ? 'fail' : 'warn',
    subject: '',
    detail: reading.text,
    next: after.find((one) => one.runtime === reading.runtime)?.next,
  }))
}

function checkFiles(install: InstallerOptions, { artefacts, primary }: InstallStatus): Check[] {
  return artefacts.map(({ artefact, path, state, reason }) => {
    const place = artefact === 'conflist' && state === 'ok' ? placeOf(path, install.plugin.type) : undefined
    const order = place !== undefined && primary !== undefined ? `, primary network ${primary}` : ''
    return {
      name: artefact,
      state: state === 'ok' ? 'ok' : 'fail',
      subject: path === '' ? join(install.netDir, primary ?? '') : path,
      detail:
        state === 'ok' ? (place === undefined ? undefined : `${place}${order}`) : withoutPath(reason ?? state, path),
      // a drift is for the agent, and the token has a check of its own
      next:
        (state === 'failed' || state === 'waiting') && path !== install.kubeconfig?.tokenFile
          ? NEXT[artefact]
          : undefined,
    }
  })
}

const NEXT: Readonly<Record<Health['artefact'], string>> = {
  claim: 'the agents: is --cni-agent-run-dir mounted for writing, and does another one run on this node?',
  binary: 'the binaries: is --cni-bin-source-dir in the image, and --mounted-cni-bin-dirs where the runtime looks?',
  kubeconfig: 'the kubeconfig: are --service-account-dir and --cni-agent-run-dir mounted, the latter for writing?',
  conflist: 'the network: does its own plugin (Calico, Cilium, ...) run, and is --mounted-cni-net-dir where it writes?',
}

/** Where in its list the plugin is. */
function placeOf(path: string, type: unknown): string | undefined {
  try {
    const { plugins } = parseConflist(readFileSync(path))
    const index = plugins.findIndex((plugin) => plugin.type === type)
    return index < 0 ? undefined : `plugin ${index + 1} of ${plugins.length}`
  } catch {
    // a file of its own holds one plugin and is no list
    return undefined
  }
}

/** The reason of a drift begins with the path that is shown already. */
const withoutPath = (reason: string, path: string): string =>
  path !== '' && reason.startsWith(`${path}: `) ? reason.slice(path.length + 2) : reason
