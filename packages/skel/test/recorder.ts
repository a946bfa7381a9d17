import { definePlugin, type Plugin, runPlugin } from '@cni/skel'
import { fakeNetns } from '@cni/skel/testing'

/** One recorded call of a plugin handler, with the members that the protocol tests check. */
export interface Recorded {
  readonly verb: string
  readonly containerID?: string
  readonly ifName?: string
  readonly netns?: string | undefined
  readonly raw: string
  readonly path: readonly string[]
}

/** Options of the recording plugin. The Go implementation's tests use versions that do not exist. */
type RecorderOptions = Partial<Omit<Plugin, 'versions'>> & { readonly versions?: readonly string[] }

/** Creates a test plugin that records the calls of its handlers and returns empty results. */
export function recorder({ versions, ...options }: RecorderOptions = {}): { plugin: Plugin; calls: Recorded[] } {
  const calls: Recorded[] = []
  const record =
    (verb: string) =>
    (c: {
      containerID?: string
      ifName?: string
      netns?: { path: string } | undefined
      raw: Uint8Array
      path: readonly string[]
    }) => {
      const { containerID, ifName, netns, raw, path } = c
      const attachment = containerID === undefined || ifName === undefined ? {} : { containerID, ifName }
      calls.push({ verb, ...attachment, netns: netns?.path, raw: Buffer.from(raw).toString(), path })
      return {}
    }
  const plugin = definePlugin<unknown, boolean, unknown>({
    name: 'recorder',
    add: record('ADD'),
    check: (c) => void record('CHECK')(c),
    del: (c) => void record('DEL')(c),
    gc: (c) => void record('GC')(c),
    status: (c) => void record('STATUS')(c),
    ...options,
  })
  // Sets the versions only after the call of `definePlugin`, because `definePlugin` rejects versions that do not exist.
  return { plugin: versions === undefined ? plugin : Object.assign(plugin, { versions }), calls }
}

/** Default environment variables in the tests of the Go reference implementation. */
export const DEFAULT_ENV = {
  CNI_COMMAND: 'ADD',
  CNI_CONTAINERID: 'some-container-id',
  CNI_NETNS: '/some/netns/path',
  CNI_IFNAME: 'eth0',
  CNI_ARGS: 'some;extra;args',
  CNI_PATH: '/some/cni/path',
}

type Env = Readonly<Record<string, string | undefined>>

/** Performs one CNI call. `/own` is the plugin's namespace; paths with `/gone` do not exist. */
export async function call(plugin: Plugin, env: Env, stdin: string | Uint8Array | (() => never)) {
  const outcome = await runPlugin(plugin, {
    env: { ...DEFAULT_ENV, ...env },
    stdin: () => (typeof stdin === 'function' ? stdin() : stdin),
    netns: {
      open(path) {
        if (path.startsWith('/gone')) throw new Error(`nothing at ${path}`)
        return fakeNetns(path, path === '/own' ? 1 : 2)
      },
      current: () => fakeNetns('/own', 1),
    },
  })
  const error: { cniVersion?: string; code?: number; msg?: string; details?: string } =
    outcome.exitCode === 1 ? JSON.parse(outcome.stdout) : {}
  return { ...outcome, error }
}
