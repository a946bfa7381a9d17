import { basename } from 'node:path'
import { atStart, versionText } from '@cni/host/cli'
import { CniError, CURRENT_VERSION, ErrorCode, encodeError, toErrorDocument } from '@cni/types'
import { unexpected } from '../checks.ts'
import {
  askedFor,
  type CommandLineAnswer,
  failureAnswer,
  isUser,
  type PluginMainOptions,
  successAnswer,
} from '../command-line.ts'
import type { Plugin } from '../definition/plugin.ts'
import { answerAndExit, runAsProcess } from './plugin-main.ts'
import { warmUp } from './warm-up.ts'

type PluginSource = Parameters<typeof pluginsMain>[0][string]

/**
 * Runs one of several plugins, chosen by the executable's name. Create the names as links or copies, for example with
 * `cni-build --name`. Works like `pluginMain` in all other respects.
 *
 * @param plugins - plugins by name. A function as value creates or loads the plugin when the executable is called by
 * that name.
 * @throws TypeError if there are no plugins, or if a plugin's name differs from its key.
 * @example
 * ```ts
 * pluginsMain({ bridge, 'host-device': hostDevice })
 * ```
 */
export function pluginsMain(
  plugins: Readonly<Record<string, Plugin | (() => Plugin | Promise<Plugin>)>>,
  options: PluginMainOptions = {},
): void {
  const names = Object.keys(plugins)
  if (names.length === 0) throw unexpected('pluginsMain', 'at least one plugin', {})
  for (const [name, source] of Object.entries(plugins)) if (typeof source !== 'function') checkName(name, source)
  atStart(
    () => runCalled(plugins, options),
    () => warmUp(...Object.values(plugins).filter((source) => typeof source !== 'function')),
  )
}

function runCalled(plugins: Readonly<Record<string, PluginSource>>, options: PluginMainOptions): void {
  const names = Object.keys(plugins)
  const name = calledBy(names, process.argv0, process.argv[1])
  const source = names.includes(name) ? plugins[name] : undefined
  if (source === undefined) {
    const args = process.argv.slice(2)
    answerAndExit(name, answerUnknown(name, plugins, process.env.CNI_COMMAND || !isUser(args) ? undefined : args))
    return
  }
  const others = names.filter((one) => one !== name)
  if (typeof source !== 'function') {
    runAsProcess(source, options, others)
    return
  }
  load(name, source).then(
    (plugin) => runAsProcess(plugin, options, others),
    (error: unknown) => answerAndExit(name, Promise.resolve(failure(error))),
  )
}

/** Name by which the process was called. Ignores the script's name inside an executable that bun has built. */
export function calledBy(names: readonly string[], argv0: string, script: string | undefined): string {
  const name = basename(argv0)
  if (names.includes(name) || script === undefined || script.startsWith('/$bunfs/')) return name
  const [, stem] = /^(.+)\.[cm]?[jt]s$/.exec(basename(script)) ?? []
  return stem ?? name
}

/**
 * Answers a caller that has started the executable by an unknown name. `args` is `undefined` for a container runtime.
 */
export async function answerUnknown(
  name: string,
  plugins: Readonly<Record<string, PluginSource>>,
  args: readonly string[] | undefined,
): Promise<CommandLineAnswer> {
  const names = Object.keys(plugins)
  if (args === undefined) {
    const message = `called as ${JSON.stringify(name)}, but this file is the plugins ${names.join(', ')}`
    return failure(
      new CniError(ErrorCode.invalidEnvironment, message, {
        hint: 'call it by the name of one of them: a hard link, a symbolic link or a copy',
      }),
    )
  }
  const asked = askedFor(args)
  if (asked === undefined || asked === 'schema')
    return failureAnswer(name, `call it by one of its names: ${names.join(', ')}`)
  const all = await Promise.all(Object.entries(plugins).map(([key, source]) => load(key, source)))
  if (asked === 'version')
    return successAnswer(all.map((plugin) => versionText(plugin.name, '', plugin.release)).join(''))
  const width = Math.max(...names.map((one) => one.length))
  const lines = all.map((plugin) => `  ${plugin.name.padEnd(width)}   ${plugin.about ?? 'a CNI plugin'}\n`)
  return successAnswer(`${name}: several CNI plugins in one file, each by the name it is called:\n\n${lines.join('')}`)
}

async function load(name: string, source: PluginSource): Promise<Plugin> {
  const plugin = typeof source === 'function' ? await source() : source
  checkName(name, plugin)
  return plugin
}

function checkName(name: string, plugin: Plugin): void {
  if (plugin.name === name) return
  throw new TypeError(
    `pluginsMain: ${name}: expected the plugin ${JSON.stringify(name)}, got ${JSON.stringify(plugin.name)}: ` +
      'the plugins of one file are told apart by their names',
  )
}

function failure(error: unknown): CommandLineAnswer {
  const document = encodeError({ cniVersion: CURRENT_VERSION, ...toErrorDocument(error) })
  return { exitCode: 1, stdout: document, stderr: '' }
}
