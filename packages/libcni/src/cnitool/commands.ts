import { UsageError } from '@cni/host/cli'
import { getVersionInfo, realExec } from '@cni/invoke'
import { reencodeResult } from '@cni/types'
import { type Cni, cni } from '../cni.ts'
import { loadConflist, loadConflistFile } from '../load.ts'
import type { NetworkList } from '../network-list.ts'
import { cacheCommand } from './cache-command.ts'
import { type CommandLine, isVerb, targetOf, validAttachments } from './command-line.ts'
import { explain } from './explain.ts'
import type { CnitoolIo } from './io.ts'
import { attachmentOf, type Settings } from './settings.ts'
import type { TraceDocument } from './trace-report.ts'

/** State of a running cnitool command, for its error messages. */
export interface Progress {
  list?: NetworkList
  netns?: string
  /** Function that returns the plugin calls so far. Missing without the flag `--trace`. */
  trace?: () => TraceDocument
}

/** Executes a command of cnitool and returns its output. */
export async function execute(
  line: CommandLine,
  settings: Settings,
  io: CnitoolIo,
  progress: Progress,
): Promise<string> {
  if (line.command === 'version') return versions(line, settings, io)
  if (line.command === 'cache') return cacheCommand(line, settings, io.cwd)
  const { network, netns } = targetOf(line)
  const rt = attachmentOf(line, netns, io)
  const list = load(network, settings)
  progress.list = list
  if (netns !== '') progress.netns = rt.netns
  if (line.dryRun && isVerb(line.command)) {
    return explain(line.command, line, list, rt, settings, io.exec ?? realExec())
  }
  const runtime = runtimeOf(settings, io)
  switch (line.command) {
    case 'add': {
      const { document, cniVersion } = await runtime.add(list, rt)
      return reencodeResult(document, cniVersion, cniVersion)
    }
    case 'check':
      await runtime.check(list, rt)
      return ''
    case 'del':
      await runtime.del(list, rt, { onDelError: line.flags.continue ? 'continue' : 'stop' })
      return ''
    case 'gc':
      await runtime.gc(list, { validAttachments: validAttachments(line.flags.keep) })
      return ''
    case 'status':
      await runtime.status(list)
      return ''
    case 'validate':
      return describeValid(list, await runtime.validate(list), line.flags.json ?? false)
  }
}

function runtimeOf({ path, cacheDir, timeout }: Settings, io: CnitoolIo): Cni {
  const { env, signal, exec } = io
  return cni({ path, cacheDir, timeout, env, signal, exec, stderr: pluginStderr(io) })
}

function load(network: string | undefined, { confDir, confFile }: Settings): NetworkList {
  if (confFile === undefined) return loadConflist(confDir, network ?? '')
  const list = loadConflistFile(confFile)
  const { name } = list.conflist
  if (network === undefined || network === name) return list
  throw new UsageError(`${confFile} is the network ${JSON.stringify(name)}, not ${JSON.stringify(network)}`)
}

function describeValid({ conflist }: NetworkList, capabilities: readonly string[], json: boolean): string {
  const { name, cniVersion = '', plugins } = conflist
  if (json) return `${JSON.stringify({ name, cniVersion, plugins: plugins.map(({ type }) => type), capabilities })}\n`
  const offers = capabilities.length === 0 ? '' : `; capabilities: ${capabilities.join(', ')}`
  return `${name}: ${plugins.map(({ type }) => type).join(', ')} support ${cniVersion || '0.1.0'}${offers}\n`
}

async function versions(
  { positionals, flags }: CommandLine,
  { path, timeout }: Settings,
  io: CnitoolIo,
): Promise<string> {
  if (positionals.length === 0) throw new UsageError('version needs PLUGIN, got no argument')
  const { env, signal, exec = realExec() } = io
  const known = new Map<string, readonly string[]>()
  for (const plugin of positionals) {
    const options = { exec, env, signal, timeout, stderr: pluginStderr(io) }
    const { supportedVersions } = await getVersionInfo(exec.find(plugin, path), options)
    known.set(plugin, supportedVersions)
  }
  if (flags.json) return `${JSON.stringify(Object.fromEntries(known))}\n`
  return [...known].map(([plugin, supported]) => `${plugin}: ${supported.join(' ')}\n`).join('')
}

function pluginStderr(io: CnitoolIo): (chunk: Uint8Array) => void {
  if (io.pluginStderr !== undefined) return io.pluginStderr
  const decoder = new TextDecoder()
  return (chunk) => io.stderr(decoder.decode(chunk, { stream: true }))
}
