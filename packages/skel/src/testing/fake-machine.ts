import { type Netns, NetnsError } from '@cni/netns/handle'
import type { NetnsPort } from '../io.ts'
import type { StateFolder } from '../state/state-folder.ts'
import { FakeNetns, fakeNetns } from './fake-netns.ts'
import { memoryStateFolder } from './memory-state-folder.ts'

/** Values of `CNI_NETNS` by their names in tests. */
export const PATHS = {
  fake: '/run/netns/test',
  host: '/proc/self/ns/net',
  missing: '/run/netns/missing',
  none: '',
} as const

/**
 * A node for `serveDaemon` and `runPlugin` in tests without root: namespaces are fakes, files stay in memory.
 *
 * @param pods - the existing namespaces, created by `fakeNetns`. Without any, every path leads to the same fake
 * namespace.
 * @example
 * ```ts
 * using pod = fakeNetns('/run/netns/pod', 1)
 * await using daemon = await serveDaemon(plugin, { socket, ...fakeMachine(pod) })
 * const { result } = await testPlugin(shim({ name: 'greet', socket }), { netns: pod }).add()
 * ```
 */
export function fakeMachine(...pods: readonly Netns[]): {
  /** Opens the given pods by their paths, and the node's own namespace. */
  readonly netns: NetnsPort
  /** A folder in memory for each path. */
  stateFolder(path: string): StateFolder
} {
  const folders = new Map<string, StateFolder>()
  return {
    netns: { open: (path) => openFake(path, pods), current: () => host(PATHS.host) },
    stateFolder(path) {
      const folder = folders.get(path) ?? memoryStateFolder(path)
      folders.set(path, folder)
      return folder
    },
  }
}

function openFake(path: string, pods: readonly Netns[]): Netns {
  const pod = pods.find((each) => each.path === path)
  if (pod !== undefined) return new FakeNetns(path, pod)
  if (path === PATHS.host) return host(path)
  if (path !== PATHS.missing && pods.length === 0) return fakeNetns(path, 2)
  throw new NetnsError('NOT_FOUND', `No network namespace at "${path}": it does not exist`, { path })
}

/** Uses another device number than `fakeNetns`, so that a pod never equals the node. */
const host = (path: string): Netns => new FakeNetns(path, { dev: -1n, ino: 1n })
