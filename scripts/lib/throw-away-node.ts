import { type Dirent, existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { env } from './exec.ts'
import { runBound, UNSHARE } from './run-bound.ts'

/** Command prefix: a shell starts the program. The shell is the namespace's first process, so it reaps orphans. */
const INIT = ['sh', '-c', '"$@" & wait $!', 'sh']
const PREFIX = 'cni-runtimes-'
const CGROUPS = '/sys/fs/cgroup'

/**
 * Runs a program in new namespaces. Both end even if this process is killed.
 *
 * @returns the program's exit code
 */
export async function inThrowAwayNode(argv: readonly [string, ...string[]]): Promise<number> {
  await sweep()
  const name = `${PREFIX}${process.pid}`
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  try {
    return await runBound([...UNSHARE, '--net', '--mount-proc', '--', ...INIT, ...argv], {
      env: { ...env, CNI_RUNTIMES_FOLDER: folder, CNI_RUNTIMES_CGROUP: `/${name}` },
    })
  } finally {
    await removeCgroups(name)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Removes the folders and control groups of earlier test runs that were killed. */
async function sweep() {
  for (const name of readdirSync(tmpdir()).filter(isLeftOver)) {
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
  for (const name of new Set(hierarchies().flatMap((hierarchy) => readdirSync(hierarchy).filter(isLeftOver)))) {
    await removeCgroups(name)
  }
}

/**
 * True if the test run that created a folder or control group has ended.
 *
 * @param name - name of the folder or group, with the process id of the test run
 */
function isLeftOver(name: string) {
  const pid = new RegExp(`^${PREFIX}(\\d+)(-|$)`).exec(name)?.[1]
  return pid !== undefined && !existsSync(`/proc/${pid}`)
}

/** Root folders of the control group trees: one with cgroup v2, one for each controller with cgroup v1. */
const hierarchies = () => [CGROUPS, ...readdirSync(CGROUPS, { withFileTypes: true }).flatMap(folderIn)]

const folderIn = (entry: Dirent) => (entry.isDirectory() ? [join(entry.parentPath, entry.name)] : [])

async function removeCgroups(name: string) {
  for (const tree of hierarchies().map((hierarchy) => join(hierarchy, name))) {
    // Repeats the removal of a control group. The removal fails until the kernel has released the group's last process.
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

/** Removes a control group with its subgroups. Removes only folders, because the kernel removes the files in them. */
function removeTree(folder: string) {
  for (const child of readdirSync(folder, { withFileTypes: true }).flatMap(folderIn)) removeTree(child)
  rmdirSync(folder)
}
