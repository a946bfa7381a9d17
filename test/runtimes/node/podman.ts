import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunResult, run } from '@cni/host'
import { writeImage } from './image.ts'
import { NETWORK } from './pod-network.ts'
import type { CniFolders } from './stage.ts'
import { folderFor } from './throw-away.ts'

/** podman with storage and configuration of the test, and with the test image. */
export type Podman = Awaited<ReturnType<typeof startPodman>>

export async function startPodman({ binDir, confDir }: CniFolders) {
  const folder = folderFor('p')
  const conf = join(folder, 'containers.conf')
  // Sets no AppArmor profile, because the profile would stay in the machine's kernel.
  const text = `[containers]
apparmor_profile = "unconfined"
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "runc"
static_dir = ${JSON.stringify(join(folder, 'static'))}
tmp_dir = ${JSON.stringify(join(folder, 'tmp'))}
volume_path = ${JSON.stringify(join(folder, 'volumes'))}
[network]
network_backend = "cni"
cni_plugin_dirs = [${JSON.stringify(binDir)}]
network_config_dir = ${JSON.stringify(confDir)}
default_network = ${JSON.stringify(NETWORK)}
`
  writeFileSync(conf, text)
  const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'runroot'), '--storage-driver', 'overlay']
  const execute = (args: readonly string[], reject: boolean): Promise<RunResult> =>
    run(['podman', ...storage, ...args], {
      reject,
      timeout: 30_000,
      env: { PATH: process.env.PATH, HOME: folder, CONTAINERS_CONF: conf },
    })
  await execute(['load', '--input', writeImage(folder)], true)
  return {
    /** Runs a podman command, waits for its end, and returns the command's output. */
    run: async (...args: readonly string[]) => (await execute(args, true)).stdout.trim(),
    /** Runs a podman command and waits for its end. Also resolves if the command fails. */
    attempt: (...args: readonly string[]) => execute(args, false),
    async [Symbol.asyncDispose]() {
      await execute(['pod', 'rm', '--force', '--all', '--time', '0'], false)
      await execute(['rm', '--force', '--all', '--time', '0'], false)
    },
  }
}
