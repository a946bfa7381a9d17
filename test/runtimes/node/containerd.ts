import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, type Started, start } from '@cni/host'
import { connectCri } from './cri-client.ts'
import { IMAGE, writeImage } from './image.ts'
import type { CniFolders } from './stage.ts'
import { folderFor } from './throw-away.ts'

/** containerd process of a test, with the test image loaded. */
export type Containerd = Awaited<ReturnType<typeof startContainerd>>

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Starts containerd as systemd does, with folders and sockets of the test.
 *
 * @param path - folders at the start of containerd's PATH, which the plugins inherit
 */
export async function startContainerd(folders: CniFolders, path: readonly string[] = []) {
  const folder = folderFor('c')
  const socket = join(folder, 'sock')
  const config = join(folder, 'config.toml')
  writeFileSync(config, configText(folder, socket, folders))
  const image = writeImage(folder)
  const env = { PATH: [...path, SYSTEM_PATH].join(':'), LANG: 'C.UTF-8' }
  const cri = connectCri(socket)
  let log = ''

  const launch = async (): Promise<Started> => {
    const stderr = (chunk: Uint8Array) => {
      log += chunk
    }
    const started = start(['containerd', '--config', config], { cwd: '/', env, stderr })
    const stopped = () => Promise.reject(new Error(`containerd stopped: ${log}`))
    await Promise.race([cri.call('Version', {}, 10_000), started.done.then(stopped, stopped)])
    return started
  }
  const stop = async ({ kill, done }: Started): Promise<void> => {
    kill()
    await done
  }

  let daemon = await launch()
  await run(['ctr', '--address', socket, '--namespace', 'k8s.io', 'images', 'import', image], { timeout: 20_000 })
  return {
    cri,
    /** Path of containerd's socket. */
    socket,
    /** Returns the log of containerd so far, including stderr of the plugins. */
    log: () => log,
    /** Restarts containerd with the same state. Pods keep running. */
    async restart() {
      await stop(daemon)
      daemon = await launch()
    },
    async [Symbol.asyncDispose]() {
      cri[Symbol.dispose]()
      await stop(daemon)
    },
  }
}

/** Builds containerd's configuration. AppArmor is disabled, because its profile would stay in the machine's kernel. */
function configText(folder: string, socket: string, { binDir, confDir }: CniFolders): string {
  const at = (name: string): string => {
    mkdirSync(join(folder, name))
    return JSON.stringify(join(folder, name))
  }
  const unused = ['aufs', 'btrfs', 'devmapper', 'zfs'].map((name) => `"io.containerd.snapshotter.v1.${name}"`)
  return `version = 2
root = ${at('root')}
state = ${at('state')}
disabled_plugins = [${unused.join(', ')}]
[grpc]
  address = ${JSON.stringify(socket)}
[ttrpc]
  address = ${JSON.stringify(`${socket}.ttrpc`)}
[plugins."io.containerd.internal.v1.opt"]
  path = ${at('opt')}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${JSON.stringify(IMAGE)}
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = ${JSON.stringify(binDir)}
    conf_dir = ${JSON.stringify(confDir)}
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      BinaryName = "runc"
      SystemdCgroup = false
`
}
