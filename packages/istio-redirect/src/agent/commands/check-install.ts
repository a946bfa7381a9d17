import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Health,
  type InstallerOptions,
  type InstallStatus,
  installer,
  judgeReadings,
  type RuntimeReading,
} from '@cni/installer'
import { parseConflist } from '@cni/types'
import type { Check } from './checks.ts'

/** Checks of the plugin's installation on the node, and each container runtime's view of the installation. */
export interface InstallChecks {
  readonly checks: readonly Check[]
  readonly runtimes: readonly RuntimeReading[]
}

/** Checks the plugin's installed files with a dry run of the installer. */
export async function checkInstall(install: InstallerOptions): Promise<InstallChecks> {
  const plan = await installer(install).plan()
  const { runtimes = [], runtimesAfter = [] } = plan
  const { runtime } = install
  return { checks: [...checkFiles(install, plan), ...checkRuntimes(runtimes, runtimesAfter, runtime)], runtimes }
}

/** Checks that the container runtimes run the plugin. One runtime is enough, because other runtimes may be unused. */
export function checkRuntimes(
  readings: readonly RuntimeReading[],
  after: readonly RuntimeReading[],
  runtime: RuntimeReading['runtime'] | undefined,
): Check[] {
  const { verdict, relevant } = judgeReadings(readings, runtime)
  return relevant.map((reading) => ({
    name: 'network',
    state: reading.runs === 'yes' ? 'ok' : verdict === 'fail' ? 'fail' : 'warn',
    subject: '',
    detail: reading.text,
    next: after.find((one) => one.runtime === reading.runtime)?.next,
  }))
}

function checkFiles(install: InstallerOptions, { artefacts, primary }: InstallStatus): Check[] {
  return artefacts.map(({ artefact, path, state, reason }) => {
    const position = artefact === 'conflist' && state === 'ok' ? positionOf(path, install.plugin.type) : undefined
    const order = position !== undefined && primary !== undefined ? `, primary network ${primary}` : ''
    return {
      name: artefact,
      state: state === 'ok' ? 'ok' : 'fail',
      subject: path === '' ? join(install.netDir, primary ?? '') : path,
      detail:
        state === 'ok'
          ? position === undefined
            ? undefined
            : `${position}${order}`
          : withoutPath(reason ?? state, path),
      // Suggests a next step only for problems that the agent cannot repair itself.
      next:
        (state === 'failed' || state === 'waiting') && path !== install.kubeconfig?.tokenFile
          ? NEXT[artefact]
          : undefined,
    }
  })
}

const NEXT: Readonly<Record<Health['artefact'], string>> = {
  claim: 'agents: check that --cni-agent-run-dir is mounted writable and that no other agent runs on this node',
  binary:
    "binaries: check that --cni-bin-source-dir is in the image and --mounted-cni-bin-dirs are the runtime's plugin folders",
  kubeconfig: 'kubeconfig: check that --service-account-dir and --cni-agent-run-dir are mounted, the latter writable',
  conflist: 'network: check that its own plugin (Calico, Cilium, ...) runs and writes to --mounted-cni-net-dir',
}

/** Describes our plugin's position in a network configuration, such as `plugin 2 of 3`. */
function positionOf(path: string, type: unknown): string | undefined {
  try {
    const { plugins } = parseConflist(readFileSync(path))
    const index = plugins.findIndex((plugin) => plugin.type === type)
    return index < 0 ? undefined : `plugin ${index + 1} of ${plugins.length}`
  } catch {
    // A standalone `.conf` file holds one plugin and no plugin list, so the plugin has no position.
    return undefined
  }
}

/** Removes the file's path from the problem's reason, because the check prints the path already. */
const withoutPath = (reason: string, path: string): string =>
  path !== '' && reason.startsWith(`${path}: `) ? reason.slice(path.length + 2) : reason
