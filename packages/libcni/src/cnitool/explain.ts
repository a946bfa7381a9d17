import type { Exec } from '@cni/invoke'
import { errorLine, goStringify } from '@cni/types'
import type { Attachment } from '../attachment.ts'
import { type CacheKey, listCachedAttachments, readCachedResult } from '../cache/cache.ts'
import { staleAttachments } from '../cache/stale.ts'
import { encodeConf } from '../derive.ts'
import { delKnowsResult } from '../gates.ts'
import type { NetworkList } from '../network-list.ts'
import { type Plan, type PlanRequest, planNetwork } from '../plan.ts'
import type { CommandLine, VerbCommand } from './command-line.ts'
import { validAttachments } from './command-line.ts'
import type { Settings } from './settings.ts'

/** Explains the plugin calls that a verb would make. Calls no plugin and changes nothing. */
export function explain(
  command: VerbCommand,
  { flags }: CommandLine,
  list: NetworkList,
  rt: Attachment,
  settings: Settings,
  exec: Pick<Exec, 'find'>,
): string {
  const notes: string[] = []
  const plan = planNetwork(list.conflist, requestOf(command, flags.keep, list, rt, settings, notes))
  const whole = { ...plan, notes: [...notes, ...plan.notes] }
  const found = plan.calls.map((call) => lookUp(call, settings, exec))
  return flags.json ? explainJson(whole, found) : explainText(whole, found)
}

type Found = { readonly executable: string } | { readonly problem: string }

function requestOf(
  command: VerbCommand,
  keep: readonly string[] | undefined,
  { conflist }: NetworkList,
  rt: Attachment,
  { path, cacheDir }: Settings,
  notes: string[],
): PlanRequest {
  const { name: network, cniVersion = '' } = conflist
  const forDel = (key: CacheKey): unknown => {
    if (!delKnowsResult(conflist)) return undefined
    try {
      return readCachedResult(cacheDir, key, cniVersion)
    } catch (error) {
      notes.push(`DEL runs without a result and removes its cache file: ${errorLine(error)}`)
      return undefined
    }
  }
  switch (command) {
    case 'add':
      return { command: 'ADD', rt, path }
    case 'check':
      return {
        command: 'CHECK',
        rt,
        path,
        prevResult: conflist.disableCheck ? undefined : readCachedResult(cacheDir, { ...rt, network }, cniVersion),
      }
    case 'del':
      return { command: 'DEL', rt, path, prevResult: forDel({ ...rt, network }) }
    case 'gc': {
      const valid = validAttachments(keep)
      const stale = staleAttachments(network, listCachedAttachments(cacheDir), valid)
      return {
        command: 'GC',
        path,
        validAttachments: valid,
        stale: stale.map((one) => ({ rt: one, prevResult: forDel(one) })),
      }
    }
    case 'status':
      return { command: 'STATUS', path }
  }
}

function lookUp({ type }: Plan['calls'][number], { path }: Settings, exec: Pick<Exec, 'find'>): Found {
  try {
    return { executable: exec.find(type, path) }
  } catch (error) {
    return { problem: errorLine(error) }
  }
}

function explainJson({ calls, ...plan }: Plan, found: readonly Found[]): string {
  const document = {
    ...plan,
    calls: calls.map(({ conf, ...call }, index) => ({ ...call, ...found[index], stdin: conf })),
  }
  return `${goStringify(document, { indent: 2 })}\n`
}

/** Formats the planned plugin calls as a shell script, to debug a chain by hand. */
function explainText({ command, network, cniVersion, calls, notes }: Plan, found: readonly Found[]): string {
  const count = calls.length === 1 ? '1 execution' : `${calls.length} executions`
  const head = `# ${command} of network ${goStringify(network)}, cniVersion ${goStringify(cniVersion)}: ${count}\n`
  const steps = calls.map((call, index) => step(call, found[index], `${index + 1}/${calls.length}`))
  return [head + notes.map((note) => `# ${note}\n`).join(''), ...steps].join('\n')
}

function step(
  { command, type, env, conf, prevResult }: Plan['calls'][number],
  found: Found | undefined,
  position: string,
): string {
  const executable = found !== undefined && 'executable' in found ? found.executable : type
  const remarks = [
    `${position} ${command} ${type}${env.CNI_CONTAINERID ? ` for ${env.CNI_CONTAINERID}/${env.CNI_IFNAME}` : ''}`,
    ...(found !== undefined && 'problem' in found ? [`cannot be run: ${found.problem}`] : []),
    ...(prevResult === 'plugin before' ? ['"prevResult" is added: the output of the previous plugin'] : []),
    ...(prevResult === 'cache' ? ['"prevResult" is the cached result'] : []),
  ]
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value === '' ? '' : quoteArgument(value)}`)
  return `${remarks.map((remark) => `# ${oneLine(remark)}\n`).join('')}${variables.join(' ')} \\
  ${quoteArgument(executable)} <<'EOF'
${goStringify(JSON.parse(encodeConf(conf)), { indent: 2, sortKeys: true })}
EOF
`
}

/** Removes line breaks from a comment, because a shell would run the following text. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ')
}

/** Quotes an argument of a command line for POSIX shells. */
function quoteArgument(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
