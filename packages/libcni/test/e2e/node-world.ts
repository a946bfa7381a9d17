import { existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RunResult, run } from '@cni/host'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { NODE } from '../../../../test/node.ts'
import { type TempDir, tempDir } from '../temp-dir.ts'

/** Folder of the reference plugins, from Debian's package containernetworking-plugins. */
export const PLUGINS = '/usr/lib/cni'

/** Reason why the tests with real plugins cannot run, such as missing root rights. `undefined` if they can run. */
export const missing: string | undefined =
  process.getuid?.() !== 0
    ? 'needs root: network namespaces'
    : ['bridge', 'host-local', 'loopback', 'ptp', 'static', 'tuning'].every((name) => existsSync(`${PLUGINS}/${name}`))
      ? undefined
      : `needs ${PLUGINS} (apt install containernetworking-plugins)`

/** Test environment: two network namespaces, for the node and for a pod, and a folder. */
export interface World extends AsyncDisposable {
  readonly node: Netns
  readonly pod: Netns & AsyncDisposable
  readonly files: TempDir
  /** Runs this package's cnitool as a process on the test node. */
  cnitool(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunResult>
  /** Runs the Go cnitool, whose cache in /var/lib/cni is a bind mount. */
  original(file: string, argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunResult>
  /** Runs `ip` with JSON output in a namespace and returns the parsed output. */
  ip(where: Netns, ...args: string[]): Promise<unknown>
}

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const CACHE = '/var/lib/cni'

export async function world(): Promise<World> {
  const files = tempDir()
  const node = await tempNetns()
  const pod = await tempNetns()
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', NETCONFPATH: `${files.dir}/net.d`, CNI_PATH: PLUGINS }
  mkdirSync(`${files.dir}/cache`)
  return {
    node,
    pod,
    files,
    cnitool: (argv, more = {}) =>
      finished(
        netns.start(node, [...NODE, CLI, ...argv, '--cache-dir', `${files.dir}/cache`], {
          env: { ...env, ...more },
          timeout: 30_000,
        }).done,
      ),
    original: (file, argv, more = {}) => {
      const script = 'mount -t tmpfs tmpfs /var/lib && mkdir "$1" && mount --bind "$0" "$1" && shift && exec "$@"'
      const mounted = ['unshare', '--mount', 'sh', '-c', script] as const
      return finished(
        netns.start(node, [...mounted, `${files.dir}/cache`, CACHE, file, ...argv], {
          env: { ...env, ...more },
          timeout: 30_000,
        }).done,
      )
    },
    async ip(where, ...args) {
      const { stdout } = await netns.exec(where, ['ip', '-json', ...args], { env })
      return JSON.parse(stdout || '[]')
    },
    async [Symbol.asyncDispose]() {
      await pod[Symbol.asyncDispose]()
      await node[Symbol.asyncDispose]()
      files[Symbol.dispose]()
    },
  }
}

/** Waits for a process and returns its outcome, because tests check the exit code. */
async function finished(done: ReturnType<typeof run>): Promise<RunResult> {
  try {
    return await done
  } catch (error) {
    if (error instanceof Error && 'exitCode' in error && 'stdout' in error) return error as Error & RunResult
    throw error
  }
}
