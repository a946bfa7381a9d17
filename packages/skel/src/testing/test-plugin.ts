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

/** One call. Every omitted member has a working default. */
export interface TestCall {
  /** Members of the configuration in addition to `cniVersion` 1.1.0, `name` and `type`. A string is stdin as it is. */
  readonly conf?: Readonly<Record<string, unknown>> | string
  /**
   * `prevResult` of the configuration. Default: a result with one address for a chained plugin, else none. `null` omits
   * `prevResult`.
   */
  readonly prevResult?: unknown
  /**
   * Target of `CNI_NETNS`: an open namespace, real or from `fakeNetns`, or one of these:
   * - `fake` (default): the tester's own fake.
   * - `host`: the plugin's own namespace.
   * - `missing`: a path without a file.
   * - `none`: an empty variable.
   */
  readonly netns?: Netns | 'fake' | 'host' | 'missing' | 'none'
  /** `CNI_ARGS`, as a string or as pairs. */
  readonly args?: string | Readonly<Record<string, string>>
  /** `CNI_CONTAINERID`. Default: `test-container`. */
  readonly containerID?: string
  /** `CNI_IFNAME`. Default: `eth0`. */
  readonly ifName?: string
  /** `CNI_PATH`. */
  readonly path?: readonly string[]
  /** For GC: attachments that are still valid. */
  readonly validAttachments?: readonly ValidAttachment[]
  /** Folder of the plugin's `state`. Default: a folder in memory, shared by all calls of the tester. */
  readonly state?: StateFolder
  /** File of the plugin. With a marker next to it, the plugin counts as uninstalled. */
  readonly executable?: string
  /** Variables to add, or to remove with `undefined`. Applied last. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** An abort of this signal ends the call early, as SIGTERM does. */
  readonly signal?: AbortSignal
}

/** Outcome of a call, as text and parsed. */
export interface TestOutcome {
  /** 1 if the call has failed. */
  readonly exitCode: 0 | 1
  /** Stdout of the call. */
  readonly stdout: string
  /** Stderr of the call: its log. */
  readonly stderr: string
  /** Result of ADD in the 1.1.0 model. */
  readonly result?: Result
  /** Error document of a failed call. */
  readonly error?: CniErrorDocument
  /** Log lines. */
  readonly log: ReadonlyArray<{
    /** Level: `info`, `warn` and so on. */
    readonly level: string
    /** Message. */
    readonly msg: string
    readonly [field: string]: unknown
  }>
}

/** A plugin with one method per verb. */
export interface PluginTester {
  /** Calls ADD. */
  add(call?: TestCall): Promise<TestOutcome>
  /** Calls CHECK. */
  check(call?: TestCall): Promise<TestOutcome>
  /** Calls DEL. */
  del(call?: TestCall): Promise<TestOutcome>
  /** Calls GC. */
  gc(call?: TestCall): Promise<TestOutcome>
  /** Calls STATUS. */
  status(call?: TestCall): Promise<TestOutcome>
  /** Calls VERSION. */
  version(call?: TestCall): Promise<TestOutcome>
  /** Calls any other command. */
  run(command: string, call?: TestCall): Promise<TestOutcome>
}

/**
 * Wraps a plugin for tests. Calls share only the state of attachments, and may run at the same time.
 *
 * @param defaults - options of every call. A call's `conf` is merged into the `conf` of these options.
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
