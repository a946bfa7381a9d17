import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@cni/host'
import { type CriClient, connectCri } from './cri-client.ts'
import { IMAGE, writeImage } from './image.ts'
import { folderFor } from './throw-away.ts'

/** containerd process of a test, with the test image loaded. */
export interface Containerd extends AsyncDisposable {
  readonly cri: CriClient
  /** Path of containerd's socket. */
  readonly socket: string
  /** Returns the log of containerd so far, including stderr of the plugins. */
  log(): string
  /** Restarts containerd with the same state. Pods keep running. */
  restart(): Promise<void>
}

export interface ContainerdOptions {
  readonly binDir: string
  readonly confDir: string
  /** Folders at the start of containerd's PATH, which the plugins inherit. */
  readonly path?: readonly string[]
}

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Starts containerd as systemd does, with folders and sockets of the test. */
export async function startContainerd(options: ContainerdOptions): Promise<Containerd> {
  const folder = folderFor('c')
  const socket = join(folder, 'sock')
  const logFile = join(folder, 'log')
  const config = join(folder, 'config.toml')
  writeFileSync(config, configText(folder, socket, options))
  const image = join(folder, 'image.tar')
  writeImage(image)
  const env = { PATH: [...(options.path ?? []), SYSTEM_PATH].join(':'), LANG: 'C.UTF-8' }
  const cri = connectCri(socket)

  const launch = async (): Promise<ChildProcess> => {
    const log = openSync(logFile, 'a')
    const child = spawn('containerd', ['--config', config], { cwd: '/', env, stdio: ['ignore', log, log] })
    closeSync(log)
    await Promise.race([
      cri.call('Version', {}, 10_000),
      once(child, 'exit').then(() => Promise.reject(new Error(`containerd stopped: ${readFileSync(logFile, 'utf8')}`))),
    ])
    return child
  }
  const stop = async (child: ChildProcess): Promise<void> => {
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    await exit
  }

  let daemon = await launch()
  await run(['ctr', '--address', socket, '--namespace', 'k8s.io', 'images', 'import', image], { timeout: 20_000 })
  return {
    cri,
    socket,
    log: () => readFileSync(logFile, 'utf8'),
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
function configText(folder: string, socket: string, { binDir, confDir }: ContainerdOptions): string {
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
