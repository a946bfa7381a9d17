import { type Dirent, existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { env } from './exec.ts'
import { runWithUs, UNSHARE } from './run-with-us.ts'

/** The first process of a namespace must reap orphans: a shell does that while it waits. */
const INIT = ['sh', '-c', '"$@" & wait $!', 'sh']
const PREFIX = 'cni-runtimes-'
const CGROUPS = '/sys/fs/cgroup'

/**
 * Runs a program in new network, mount and process namespaces. They end with the program, even if this process is
 * killed. `CNI_RUNTIMES_FOLDER` and `CNI_RUNTIMES_CGROUP` name a folder and a control group for the program; both are
 * removed afterwards.
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

/** Removes files of killed runs. */
async function sweep() {
  for (const name of readdirSync(tmpdir()).filter(isLeftOver)) {
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
  for (const name of new Set(hierarchies().flatMap((hierarchy) => readdirSync(hierarchy).filter(isLeftOver)))) {
    await removeCgroups(name)
  }
}

/** @param name - folder or control group of a run, with the id of its process */
function isLeftOver(name: string) {
  const pid = new RegExp(`^${PREFIX}(\\d+)(-|$)`).exec(name)?.[1]
  return pid !== undefined && !existsSync(`/proc/${pid}`)
}

/** cgroup v2 has one tree, v1 has one for each controller. */
const hierarchies = () => [CGROUPS, ...readdirSync(CGROUPS, { withFileTypes: true }).flatMap(folderIn)]

const folderIn = (entry: Dirent) => (entry.isDirectory() ? [join(entry.parentPath, entry.name)] : [])

async function removeCgroups(name: string) {
  for (const tree of hierarchies().map((hierarchy) => join(hierarchy, name))) {
    // A control group cannot be removed until the kernel has released the group's last process.
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
