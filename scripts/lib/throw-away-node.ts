import { type Dirent, existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { env } from './exec.ts'
import { runWithUs, UNSHARE } from './run-with-us.ts'

/** The first process of a namespace has to collect the orphans: a shell does that while it waits. */
const INIT = ['sh', '-c', '"$@" & wait $!', 'sh']
const PREFIX = 'cni-runtimes-'
const CGROUPS = '/sys/fs/cgroup'

/**
 * Run a program in a machine within the machine: network, mount and process namespaces of its own, which end with it,
 * and every process and mount in them, even when we are killed. The program finds a folder and the path of a control
 * group for all it does in `CNI_RUNTIMES_FOLDER` and `CNI_RUNTIMES_CGROUP`; both are removed afterwards.
 *
 * @returns its exit code
 */
export async function inThrowAwayNode(argv: readonly [string, ...string[]]): Promise<number> {
  await sweep()
  const name = `${PREFIX}${process.pid}`
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  try {
    return await runWithUs([...UNSHARE, '--net', '--mount-proc', '--', ...INIT, ...argv], {
      env: { ...env, CNI_RUNTIMES_FOLDER: folder, CNI_RUNTIMES_CGROUP: `/${name}` },
    })
  } finally {
    await removeCgroups(name)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Remove what a run left that was killed before it could. */
async function sweep() {
  for (const name of readdirSync(tmpdir()).filter(isLeftOver)) {
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
  for (const name of new Set(hierarchies().flatMap((hierarchy) => readdirSync(hierarchy).filter(isLeftOver)))) {
    await removeCgroups(name)
  }
}

/** @param name - of a run's folder or control group: the process that made it is in it */
function isLeftOver(name: string) {
  const pid = new RegExp(`^${PREFIX}(\\d+)(-|$)`).exec(name)?.[1]
  return pid !== undefined && !existsSync(`/proc/${pid}`)
}

/** One tree with cgroup v2, one for each controller with v1. */
const hierarchies = () => [CGROUPS, ...readdirSync(CGROUPS, { withFileTypes: true }).flatMap(folderIn)]

const folderIn = (entry: Dirent) => (entry.isDirectory() ? [join(entry.parentPath, entry.name)] : [])

async function removeCgroups(name: string) {
  for (const tree of hierarchies().map((hierarchy) => join(hierarchy, name))) {
    // A group stays busy until the kernel has let go of its last process.
    for (let tries = 0; existsSync(tree); tries++) {
      try {
        removeTree(tree)
      } catch (error) {
        if (tries === 100) throw error
        await delay(20)
      }
    }
  }
}

/** The files of a control group cannot be removed, and go with it. */
function removeTree(folder: string) {
  for (const child of readdirSync(folder, { withFileTypes: true }).flatMap(folderIn)) removeTree(child)
  rmdirSync(folder)
}
