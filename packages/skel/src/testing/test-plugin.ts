import { Netns } from '@cni/netns/handle'
import { type CniErrorDocument, decodeResult, type Result, type ValidAttachment } from '@cni/types'
import { machine } from '../call/namespace.ts'
import type { Plugin } from '../definition/plugin.ts'
import type { NetnsPort } from '../io.ts'
import type { EnvVars } from '../protocol/environment.ts'
import { runPlugin } from '../run.ts'
import { recordsFolder } from '../state/attachment-records.ts'
import type { StateFolder } from '../state/state-folder.ts'
import { fakeMachine, PATHS } from './fake-machine.ts'
import { FakeNetns } from './fake-netns.ts'
import { memoryStateFolder } from './memory-state-folder.ts'

/** Options of one CNI call in a test. Every omitted member has a working default. */
export interface TestCall {
  /**
   * Network configuration for the call. Default members: `cniVersion` 1.1.0, `name` and `type`. A string is passed to
   * stdin unchanged.
   */
  readonly conf?: Readonly<Record<string, unknown>> | string
  /**
   * Result of the previous plugins. Default in a chained plugin: a result with one address. `null` omits `prevResult`.
   */
  readonly prevResult?: unknown
  /**
   * Network namespace to which `CNI_NETNS` leads: a namespace or one of these:
   * - `fake` (default): a fake namespace.
   * - `host`: the plugin's own namespace.
   * - `missing`: a path without a file.
   * - `none`: an empty `CNI_NETNS`.
   */
  readonly netns?: Netns | 'fake' | 'host' | 'missing' | 'none'
  /** Value of `CNI_ARGS` in the call, as a string or as pairs. */
  readonly args?: string | Readonly<Record<string, string>>
  /** Value of `CNI_CONTAINERID` in the call. Default: `test-container`. */
  readonly containerID?: string
  /** Value of `CNI_IFNAME` in the call. Default: `eth0`. */
  readonly ifName?: string
  /** Value of `CNI_PATH` in the call: folders of delegates. */
  readonly path?: readonly string[]
  /** Attachments that are still valid, for a call of GC. */
  readonly validAttachments?: readonly ValidAttachment[]
  /** Folder of the plugin's `state`. Default: a folder in memory, which all calls of the tested plugin share. */
  readonly state?: StateFolder
  /** Path of the plugin's executable. With a marker file next to it, the plugin counts as uninstalled. */
  readonly executable?: string
  /** Environment variables to add to the call, or to remove with `undefined`. Applied after all other options. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** AbortSignal that ends the CNI call early, as SIGTERM does. */
  readonly signal?: AbortSignal
}

/** Outcome of a CNI call in a test, as text and parsed. */
export interface TestOutcome {
  /** Exit code of the plugin: 1 if the CNI call has failed. */
  readonly exitCode: 0 | 1
  /** Text that the CNI call has written to stdout. */
  readonly stdout: string
  /** Text that the CNI call has written to stderr: the log of the call. */
  readonly stderr: string
  /** Result that ADD has printed, in the model of CNI 1.1.0. */
  readonly result?: Result
  /** Error document of a failed CNI call. */
  readonly error?: CniErrorDocument
  /** Log lines of the CNI call, parsed. */
  readonly log: ReadonlyArray<{
    /** Level of the log line: `info`, `warn` and so on. */
    readonly level: string
    /** Message. */
    readonly msg: string
    readonly [field: string]: unknown
  }>
}

/** A plugin under test, with one method for each CNI verb. */
export interface PluginTester {
  /** Calls ADD of the plugin. */
  add(call?: TestCall): Promise<TestOutcome>
  /** Calls CHECK of the plugin. */
  check(call?: TestCall): Promise<TestOutcome>
  /** Calls DEL of the plugin. */
  del(call?: TestCall): Promise<TestOutcome>
  /** Calls GC of the plugin. */
  gc(call?: TestCall): Promise<TestOutcome>
  /** Calls STATUS of the plugin. */
  status(call?: TestCall): Promise<TestOutcome>
  /** Calls VERSION of the plugin. */
  version(call?: TestCall): Promise<TestOutcome>
  /** Calls the plugin with the given value of `CNI_COMMAND`, which may be invalid. */
  run(command: string, call?: TestCall): Promise<TestOutcome>
}

/**
 * Wraps a plugin for tests. Calls share only the stored state, and may run at the same time.
 *
 * @param defaults - options of every call. The `conf` of a single call is merged into the `conf` of these options.
 * @example
 * ```ts
 * const tester = testPlugin(plugin, { conf: { port: 15001 } })
 * const { result } = await tester.add({ args: { K8S_POD_NAME: 'web-0' } })
 * ```
 */
export function testPlugin(plugin: Plugin, defaults: TestCall = {}): PluginTester {
  const state = memoryStateFolder()
  const records = memoryStateFolder(recordsFolder(plugin.name))
  const run = (command: string, call: TestCall = {}): Promise<TestOutcome> =>
    perform(plugin, command, records, {
      state,
      ...defaults,
      ...call,
      conf: mergedConf(defaults.conf, call.conf),
    })
  return {
    add: (call) => run('ADD', call),
    check: (call) => run('CHECK', call),
    del: (call) => run('DEL', call),
    gc: (call) => run('GC', call),
    status: (call) => run('STATUS', call),
    version: (call) => run('VERSION', call),
    run,
  }
}

async function perform(
  plugin: Plugin,
  command: string,
  records: StateFolder,
  { state, ...call }: TestCall & { state: StateFolder },
): Promise<TestOutcome> {
  const { exitCode, stdout, stderr } = await runPlugin(plugin, {
    env: environmentOf(command, call),
    stdin: () => stdinOf(plugin, command, call),
    netns: netnsOf(call),
    stateFolder: (path) => (path === records.path ? records : state),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
    ...(call.executable === undefined ? {} : { executable: call.executable }),
  })
  return {
    exitCode,
    stdout,
    stderr,
    log: stderr.split('\n').flatMap(logEntry),
    ...(exitCode === 0 && command === 'ADD' && stdout !== '' ? { result: decodeResult(JSON.parse(stdout)) } : {}),
    ...(exitCode === 1 ? { error: JSON.parse(stdout) as CniErrorDocument } : {}),
  }
}

function netnsOf({ netns }: TestCall): NetnsPort {
  if (netns instanceof FakeNetns) return fakeMachine(netns).netns
  return netns instanceof Netns ? machine : fakeMachine().netns
}

function environmentOf(command: string, call: TestCall): EnvVars {
  const { netns = 'fake', args = '', path = ['/opt/cni/bin'] } = call
  const attachment = {
    CNI_CONTAINERID: call.containerID ?? 'test-container',
    CNI_IFNAME: call.ifName ?? 'eth0',
    CNI_NETNS: typeof netns === 'string' ? PATHS[netns] : netns.path,
    CNI_ARGS:
      typeof args === 'string'
        ? args
        : Object.entries(args)
            .map((pair) => pair.join('='))
            .join(';'),
  }
  const isAboutAttachment = ['ADD', 'CHECK', 'DEL'].includes(command)
  return { CNI_COMMAND: command, ...(isAboutAttachment ? attachment : {}), CNI_PATH: path.join(':'), ...call.env }
}

function stdinOf(plugin: Plugin, command: string, call: TestCall): string {
  if (typeof call.conf === 'string') return call.conf
  const { prevResult = plugin.chained ? defaultPrevResult(call) : null } = call
  return JSON.stringify({
    cniVersion: '1.1.0',
    name: 'test',
    type: plugin.name,
    ...(prevResult === null || !['ADD', 'CHECK', 'DEL'].includes(command) ? {} : { prevResult }),
    ...(command === 'GC' ? { 'cni.dev/valid-attachments': call.validAttachments ?? [] } : {}),
    ...call.conf,
  })
}

const defaultPrevResult = ({ netns }: TestCall) => ({
  cniVersion: '1.1.0',
  interfaces: [{ name: 'eth0', mac: '02:00:00:00:00:01', sandbox: netns instanceof Netns ? netns.path : PATHS.fake }],
  ips: [{ address: '10.1.2.3/24', gateway: '10.1.2.1', interface: 0 }],
  routes: [{ dst: '0.0.0.0/0' }],
})

function mergedConf(base: TestCall['conf'], own: TestCall['conf']): NonNullable<TestCall['conf']> {
  if (typeof own === 'string') return own
  return typeof base === 'string' ? (own ?? base) : { ...base, ...own }
}

function logEntry(line: string): TestOutcome['log'] {
  return line.startsWith('{') ? [JSON.parse(line) as TestOutcome['log'][number]] : []
}
